import { isRecord } from '#runtime/kube/client/decode.ts';
import type { DashboardContext } from '../http/context.ts';
import type { Cookies } from '../http/cookies.ts';
import { localPath } from '../http/local-path.ts';
import type { Pending } from './identity-provider.ts';

const NAME = 'signing-in';
const MAX_AGE_SECONDS = 600;

/** What the browser keeps during the sign-in, and the page to open after it. */
export type Away = Pending & { readonly next: string };

/**
 * The callback comes from another site, so browsers would not send a strict cookie. This cookie is useless without the code
 * that the identity provider gives to the same browser.
 */
export function givePending(ctx: DashboardContext, cookies: Cookies, away: Away): void {
  const value = Buffer.from(JSON.stringify(away)).toString('base64url');
  ctx.append('Set-Cookie', cookies.write(NAME, value, { sameSite: 'Lax', maxAgeSeconds: MAX_AGE_SECONDS }));
}

/** Reads and deletes the cookie. */
export function takePending(ctx: DashboardContext, cookies: Cookies): Away | undefined {
  const value = cookies.read(ctx.get('Cookie'), NAME);
  if (value === undefined) return undefined;
  ctx.append('Set-Cookie', cookies.write(NAME, '', { sameSite: 'Lax' }));
  try {
    const away: unknown = JSON.parse(Buffer.from(value, 'base64url').toString('utf8'));
    if (!isRecord(away)) return undefined;
    const { state, nonce, verifier, next } = away;
    if (typeof state !== 'string' || typeof nonce !== 'string' || typeof verifier !== 'string')
      return undefined;
    return { state, nonce, verifier, next: localPath(typeof next === 'string' ? next : undefined) };
  } catch {
    return undefined;
  }
}
