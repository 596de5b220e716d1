import type { ReadForwarded } from '#runtime/http/client-address.ts';
import type { KubeClient } from '#runtime/kube/client/client.ts';
import { asUser } from '#runtime/kube/client/user-client.ts';
import type { Logger } from '#runtime/log/log.ts';
import type { DashboardConfig } from '../config.ts';
import type { DashboardContext } from '../http/context.ts';
import type { Cookies } from '../http/cookies.ts';
import { isNavigation } from '../http/navigation.ts';
import { PageError } from '../http/page.ts';
import type { SessionCookie } from '../http/session.ts';
import type { LimitRequests } from '../http/sessions/session-limit.ts';
import { SessionStoreAwayError } from '../http/sessions/session-store.ts';
import type { MakeFrame } from '../ui/frame.ts';
import type { Render } from '../ui/render.ts';
import { identify } from '../user/identify.ts';
import { type IdentityProvider, IdentityProviderError } from './identity-provider.ts';
import type { TakeSignIn } from './sign-in-limit.ts';

export interface SignInDeps {
  readonly config: Pick<DashboardConfig, 'workTimeoutMs'>;
  /** A client without its own identity. */
  readonly kube: KubeClient;
  readonly sessionCookie: SessionCookie;
  readonly cookies: Cookies;
  readonly takeSignIn: TakeSignIn;
  readonly limitRequests: LimitRequests;
  readonly readForwarded: ReadForwarded;
  readonly frame: MakeFrame;
  readonly render: Render;
  readonly log: Logger;
  /** Undefined when users can only sign in with a pasted token. */
  readonly provider: IdentityProvider | undefined;
}

/** Handles one request of the sign-in or sign-out. */
export type Step = (ctx: DashboardContext) => Promise<void>;

export const INVALID_TOKEN = 'The API server rejected this token. It may be mistyped, expired or revoked.';
export const STORE_AWAY =
  'The session store is not responding, so you cannot sign in right now. Try again in a moment.';

export function seeOther(ctx: DashboardContext, to: string): void {
  ctx.redirect(to);
  ctx.status = 303;
}

interface Shown {
  readonly status?: number;
  /** Where to go afterwards. */
  readonly next: string;
  readonly notice?: string;
  readonly error?: string;
}

export interface SignInSteps {
  /** Shows the sign-in page. */
  show(ctx: DashboardContext, shown: Shown): Promise<void>;
  /**
   * Counts the attempt.
   * @throws PageError 403, uncounted, if the request is not a navigation; 429 after too many attempts from the client's address
   */
  limit(ctx: DashboardContext): Promise<void>;
  /** Signs in the user of the token; false when the API server rejects it. */
  begin(ctx: DashboardContext, token: string): Promise<boolean>;
  /** Runs the step; expected errors appear on the sign-in page. */
  attempt(ctx: DashboardContext, next: string, step: () => Promise<void>): Promise<void>;
}

/** Steps that every sign-in method shares. */
export function createSignInSteps(deps: SignInDeps): SignInSteps {
  const { config, kube, sessionCookie, takeSignIn, readForwarded, frame, render, log, provider } = deps;
  const show: SignInSteps['show'] = async (ctx, { status = 200, next, notice = '', error = '' }) => {
    const view = { next, notice, error, hasProvider: provider !== undefined };
    ctx.body = render('/sign-in/sign-in', { frame: await frame(ctx, { title: 'Sign in' }), view });
    ctx.type = 'html';
    ctx.status = status;
  };
  return {
    show,
    // Counted before the API server checks the token, valid tokens too: the result itself helps someone who guesses.
    limit: async (ctx) => {
      if (!isNavigation(ctx))
        throw new PageError(
          403,
          'Not a navigation',
          'Open the sign-in page of the dashboard and sign in there.',
        );
      const quota = await takeSignIn(readForwarded(ctx.req).address);
      if (quota?.isExceeded !== true) return;
      ctx.set('Retry-After', String(quota.resetSeconds));
      const wait = `Try again in ${quota.resetSeconds} seconds.`;
      throw new PageError(
        429,
        'Too many sign-in attempts',
        `Too many sign-in attempts from your address. ${wait}`,
      );
    },
    begin: async (ctx, token) => {
      const user = await identify(asUser(kube, token, AbortSignal.timeout(config.workTimeoutMs)));
      if (user === undefined) return false;
      await sessionCookie.begin(ctx, user, token);
      log.info({ user, requestId: ctx.state.requestId }, 'signed in to the dashboard');
      return true;
    },
    attempt: async (ctx, next, step) => {
      try {
        await step();
      } catch (error) {
        if (error instanceof SessionStoreAwayError)
          return show(ctx, { status: 503, next, error: STORE_AWAY });
        if (!(error instanceof IdentityProviderError)) throw error;
        log.warn({ err: error, requestId: ctx.state.requestId }, 'sign-in by OpenID Connect failed');
        return show(ctx, { status: 502, next, error: error.message });
      }
    },
  };
}
