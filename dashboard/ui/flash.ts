import { isRecord } from '#runtime/kube/client/decode.ts';
import type { DashboardContext } from '../http/context.ts';
import type { Cookies } from '../http/cookies.ts';
import type { Flash } from '../http/page.ts';

const NAME = 'flash';
/** Long enough for a redirect; an older message would be confusing. */
const MAX_AGE_SECONDS = 60;
const MAX_LENGTH = 500;

function decode(value: string): Flash | undefined {
  try {
    const flash: unknown = JSON.parse(Buffer.from(value, 'base64url').toString('utf8'));
    if (!isRecord(flash) || typeof flash['text'] !== 'string') return undefined;
    return { kind: flash['kind'] === 'failed' ? 'failed' : 'done', text: flash['text'] };
  } catch {
    return undefined;
  }
}

/** Passes a message to the next page in a cookie. Never pass a secret. */
export function giveFlash(ctx: DashboardContext, cookies: Cookies, flash: Flash): void {
  const text = flash.text.slice(0, MAX_LENGTH);
  const value = Buffer.from(JSON.stringify({ kind: flash.kind, text })).toString('base64url');
  ctx.append(
    'Set-Cookie',
    cookies.write(NAME, value, { sameSite: 'Strict', maxAgeSeconds: MAX_AGE_SECONDS }),
  );
}

/** Reads and deletes the message. */
export function takeFlash(ctx: DashboardContext, cookies: Cookies): Flash | undefined {
  const value = cookies.read(ctx.get('Cookie'), NAME);
  if (value === undefined) return undefined;
  ctx.append('Set-Cookie', cookies.write(NAME, '', { sameSite: 'Strict' }));
  return decode(value);
}
