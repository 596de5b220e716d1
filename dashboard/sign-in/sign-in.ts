import { isBearerToken } from '#runtime/kube/client/user-client.ts';
import type { DashboardContext } from '../http/context.ts';
import { localPath } from '../http/local-path.ts';
import { checkCsrf } from '../http/session.ts';
import type { LimitRequests } from '../http/sessions/session-limit.ts';
import { SessionStoreAwayError } from '../http/sessions/session-store.ts';
import type { Session } from '../http/sessions/sessions.ts';
import { createProviderSteps } from './provider-steps.ts';
import {
  createSignInSteps,
  INVALID_TOKEN,
  type SignInDeps,
  STORE_AWAY,
  type Step,
  seeOther,
} from './sign-in-steps.ts';

export interface SignIn {
  readonly show: Step;
  readonly withToken: Step;
  readonly toProvider: Step;
  readonly fromProvider: Step;
  readonly out: Step;
  readonly outEverywhere: Step;
}

/** Notices on the sign-in page, by the query parameter `why`. */
const WHYS: Readonly<Record<string, string>> = {
  ended: 'The API server no longer accepts your token. Sign in again.',
  out: 'You are signed out.',
  everywhere: 'You are signed out in every browser.',
  away: 'You are signed out in this browser. The session store is not responding, so a copied session cookie works until it expires.',
};

function createWithToken(deps: SignInDeps): Step {
  const steps = createSignInSteps(deps);
  return async (ctx) => {
    const next = localPath(ctx.state.form?.get('next'));
    const token = (ctx.state.form?.get('token') ?? '').trim();
    function refuse(error: string): Promise<void> {
      return steps.show(ctx, { status: 422, next, error });
    }
    if (token === '') return refuse('Paste a token.');
    if (!isBearerToken(token)) return refuse('A token must not contain spaces or line breaks.');
    await steps.limit(ctx);
    await steps.attempt(ctx, next, async () => {
      if (await steps.begin(ctx, token)) seeOther(ctx, next);
      else await refuse(INVALID_TOKEN);
    });
  };
}

/** Refused forms count, because the page of their error asks the API server. A valid sign-out always works. */
async function checkForm(
  ctx: DashboardContext,
  session: Session,
  limitRequests: LimitRequests,
): Promise<void> {
  try {
    checkCsrf(ctx, session);
  } catch (error) {
    await limitRequests(ctx, session);
    throw error;
  }
}

type End = (ctx: DashboardContext, session: Session) => Promise<void>;

function createOut({ limitRequests }: Pick<SignInDeps, 'limitRequests'>, end: End, why: string): Step {
  return async (ctx) => {
    const { session } = ctx.state;
    if (session === undefined) return seeOther(ctx, '/sign-in');
    await checkForm(ctx, session, limitRequests);
    try {
      await end(ctx, session);
      seeOther(ctx, `/sign-in?why=${why}`);
    } catch (error) {
      if (!(error instanceof SessionStoreAwayError)) throw error;
      seeOther(ctx, '/sign-in?why=away');
    }
  };
}

/** Sign-in and sign-out. */
export function createSignIn(deps: SignInDeps): SignIn {
  const { sessionCookie } = deps;
  const steps = createSignInSteps(deps);
  return {
    show: async (ctx) => {
      const query = new URLSearchParams(ctx.search);
      const next = localPath(query.get('next'));
      if (ctx.state.session !== undefined) return seeOther(ctx, next);
      const why = WHYS[query.get('why') ?? ''] ?? '';
      await steps.show(ctx, { next, notice: ctx.state.isStoreAway === true ? STORE_AWAY : why });
    },
    withToken: createWithToken(deps),
    ...createProviderSteps(deps),
    out: createOut(deps, (ctx) => sessionCookie.end(ctx), 'out'),
    outEverywhere: createOut(deps, (ctx, session) => sessionCookie.endAll(ctx, session), 'everywhere'),
  };
}
