import { timingSafeEqual } from 'node:crypto';
import { type DashboardContext, type DashboardMiddleware, isLive } from './context.ts';
import type { Cookies } from './cookies.ts';
import { PageError } from './page.ts';
import { SessionStoreAwayError } from './sessions/session-store.ts';
import type { Session, Sessions } from './sessions/sessions.ts';

const NAME = 'session';

/** The session cookie. */
export interface SessionCookie {
  readonly load: DashboardMiddleware;
  /** Signs in, always with a new session ID, which prevents session fixation. */
  begin(ctx: DashboardContext, user: string, token: string): Promise<void>;
  /** Deletes the cookie and the session. @throws SessionStoreAwayError when the store is not responding */
  end(ctx: DashboardContext): Promise<void>;
  endAll(ctx: DashboardContext, session: Session): Promise<void>;
}

export function createSessionCookie(deps: {
  readonly sessions: Sessions;
  readonly cookies: Cookies;
}): SessionCookie {
  const { sessions, cookies } = deps;
  function cookieOf(ctx: DashboardContext): string | undefined {
    return cookies.read(ctx.get('Cookie'), NAME);
  }
  function forget(ctx: DashboardContext): void {
    delete ctx.state.session;
    ctx.append('Set-Cookie', cookies.write(NAME, '', { sameSite: 'Strict' }));
  }
  async function end(ctx: DashboardContext): Promise<void> {
    const cookie = cookieOf(ctx);
    forget(ctx);
    if (cookie !== undefined) await sessions.end(cookie);
  }
  return {
    load: async (ctx, next) => {
      const cookie = cookieOf(ctx);
      const by = isLive(ctx) ? 'page' : 'user';
      try {
        const session = cookie === undefined ? undefined : await sessions.read(cookie, by);
        if (session !== undefined) ctx.state.session = session;
      } catch (error) {
        if (!(error instanceof SessionStoreAwayError)) throw error;
        ctx.state.isStoreAway = true;
      }
      await next();
    },
    begin: async (ctx, user, token) => {
      const before = cookieOf(ctx);
      if (before !== undefined) await sessions.end(before);
      const cookie = await sessions.begin(user, token);
      ctx.append('Set-Cookie', cookies.write(NAME, cookie, { sameSite: 'Strict' }));
    },
    end,
    endAll: async (ctx, session) => {
      forget(ctx);
      await sessions.endAll(session.user);
    },
  };
}

function isSame(given: string, expected: string): boolean {
  const [a, b] = [Buffer.from(given), Buffer.from(expected)];
  return a.length === b.length && timingSafeEqual(a, b);
}

/** Every form must send the CSRF token of its session. @throws PageError 403 when it does not */
export function checkCsrf(ctx: DashboardContext, session: Session): void {
  if (isSame(ctx.state.form?.get('csrf') ?? '', session.csrf)) return;
  throw new PageError(
    403,
    'This form is out of date',
    'It belongs to another session, for example because you signed in again. It was not processed: send it again.',
  );
}
