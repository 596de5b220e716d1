import { AppError } from '#runtime/errors.ts';
import type { Clock } from '#runtime/time/clock.ts';
import { giveFlash } from '../ui/flash.ts';
import type { FrameOptions, MakeFrame } from '../ui/frame.ts';
import type { Render } from '../ui/render.ts';
import type { User } from '../user/user.ts';
import { SEE_PROJECT } from '../user/visible-projects.ts';
import { type DashboardContext, isLive } from './context.ts';
import type { Cookies } from './cookies.ts';
import { keptForm } from './kept-form.ts';
import {
  type GoTo,
  notAllowed,
  PageError,
  type PageRequest,
  type PageResponse,
  type Route,
  type SentFile,
} from './page.ts';
import { createRequestLimit } from './request-limit.ts';
import { checkCsrf, type SessionCookie } from './session.ts';
import type { LimitRequests } from './sessions/session-limit.ts';
import type { Session } from './sessions/sessions.ts';

export interface RunRouteDeps {
  readonly clock: Pick<Clock, 'date'>;
  readonly cookies: Cookies;
  readonly sessionCookie: SessionCookie;
  readonly limitRequests: LimitRequests;
  readonly userOf: (session: Session, limit: AbortSignal) => User;
  readonly frame: MakeFrame;
  readonly render: Render;
  /** Timeout of all calls to the API server for one page. */
  readonly workTimeoutMs: number;
}

/** Browsers send no strict cookie when a user follows a link from another site, but they do from our own page. */
function comesFromElsewhere(ctx: DashboardContext): boolean {
  return ctx.method === 'GET' && ctx.get('Sec-Fetch-Site') === 'cross-site';
}

/** Redirects to the sign-in page, which returns to this page afterwards. */
function toSignIn(ctx: DashboardContext, why: '' | 'ended'): void {
  if (isLive(ctx)) {
    ctx.status = 401;
    ctx.body = '';
    return;
  }
  const query = new URLSearchParams();
  if (ctx.method === 'GET' && ctx.path !== '/') query.set('next', `${ctx.path}${ctx.search}`);
  if (why !== '') query.set('why', why);
  ctx.redirect(query.size === 0 ? '/sign-in' : `/sign-in?${query.toString()}`);
  ctx.status = 303;
}

async function checkRights(route: Route, { user, namespace }: PageRequest): Promise<void> {
  const questions = [...(namespace === '' ? [] : [SEE_PROJECT]), ...(route.needs ?? [])];
  const verdicts = await Promise.all(questions.map((question) => user.may(namespace, question)));
  const index = verdicts.findIndex(({ allowed }) => !allowed);
  const [question, refused] = [questions[index], verdicts[index]];
  if (refused === undefined) return;
  const remedy = question === SEE_PROJECT ? ` Ask for the role view in the namespace ${namespace}.` : '';
  throw notAllowed(refused.reason + remedy);
}

function leftOf({ res }: DashboardContext): AbortSignal {
  const left = new AbortController();
  res.once('close', () => left.abort());
  return left.signal;
}

function sendFile(ctx: DashboardContext, { name, contentType, body }: SentFile): void {
  ctx.set('Content-Disposition', `attachment; filename="${name}"`);
  ctx.type = contentType;
  ctx.body = body;
}

/** For a session store that does not respond. */
const RETRY_AFTER_SECONDS = 5;

/** Without the navigation if that fails after a form was processed: its response may show what no other page can show. */
function tolerant(frame: MakeFrame): MakeFrame {
  return async (ctx, options) => {
    try {
      return await frame(ctx, options);
    } catch (error) {
      if (ctx.method !== 'POST') throw error;
      const { user: _user, namespace: _namespace, ...around } = options;
      return frame(ctx, around);
    }
  };
}

function createResponder({ cookies, frame, render }: RunRouteDeps) {
  const frameOf = tolerant(frame);
  function redirect(ctx: DashboardContext, { to, flash }: GoTo): void {
    if (flash !== undefined) giveFlash(ctx, cookies, flash);
    ctx.redirect(to);
    ctx.status = 303;
    // Koa's default body contains the URL, which may be a presigned one.
    ctx.body = '';
  }
  async function show(ctx: DashboardContext, view: string, shown: ShownWith): Promise<void> {
    ctx.body = render(view, { frame: await frameOf(ctx, shown.frame), view: shown.data });
    ctx.type = 'html';
    ctx.status = shown.status ?? 200;
  }
  return {
    redirectPage: (ctx: DashboardContext): Promise<void> => {
      const next = `${ctx.path}${ctx.search}`;
      return show(ctx, '/ui/going-on', {
        frame: { title: 'One moment', refreshTo: next },
        data: { next },
      });
    },
    /** False if the request has no input of a user that would be lost. */
    keepForm: async (ctx: DashboardContext, { status, ...view }: NotProcessed): Promise<boolean> => {
      const kept = keptForm(ctx);
      if (kept === undefined) return false;
      if (status === 503) ctx.set('Retry-After', String(RETRY_AFTER_SECONDS));
      await show(ctx, '/ui/kept-form', { frame: { title: view.title }, data: { ...view, kept }, status });
      return true;
    },
    /** `navigator`: the user, with time for the reviews of the menu although that of the request may be over. */
    respond: async (
      ctx: DashboardContext,
      { request, navigator }: { readonly request: PageRequest; readonly navigator: User },
      response: PageResponse,
    ): Promise<void> => {
      if (response.kind === 'go') return redirect(ctx, response);
      if (response.kind === 'file') return sendFile(ctx, response);
      const { view, data } = response;
      if (response.kind === 'fragment')
        return show(ctx, view, { frame: { title: '', isFragment: true }, data });
      const { title, section, trail, status } = response;
      const { namespace } = request;
      await show(ctx, view, { frame: { title, section, trail, user: navigator, namespace }, data, status });
    },
  };
}

/** Why a form was not processed. */
interface NotProcessed {
  readonly status: number;
  readonly title: string;
  readonly message: string;
  readonly needsSignIn: boolean;
  readonly mayBeDone?: true;
}

const ENDED: NotProcessed = {
  status: 401,
  title: 'Your session has ended',
  message: 'The form was not processed. Sign in, then send it again.',
  needsSignIn: true,
};
/** The API server rejected the token after the permissions were checked. */
const ENDED_MEANWHILE: NotProcessed = {
  ...ENDED,
  message: 'Sign in to continue.',
  mayBeDone: true,
};
const STORE_AWAY: NotProcessed = {
  status: 503,
  title: 'Temporarily unavailable',
  message: 'The session store is not responding, so the form was not processed. Send it again in a moment.',
  needsSignIn: false,
};

interface ShownWith {
  readonly frame: FrameOptions;
  readonly data: object;
  readonly status?: number | undefined;
}

/** Runs one route: checks session, CSRF token and permissions, then responds with the page. */
export function createRunRoute(deps: RunRouteDeps) {
  const responder = createResponder(deps);
  async function askToSignIn(ctx: DashboardContext, why: '' | 'ended', view: NotProcessed): Promise<void> {
    if (!(await responder.keepForm(ctx, view))) toSignIn(ctx, why);
  }
  /** False after a response that keeps the input. The form comes from our origin, and the user confirms it. */
  async function isAccepted(ctx: DashboardContext, route: Route, session: Session): Promise<boolean> {
    try {
      await deps.limitRequests(ctx, session);
      if (route.method === 'POST') checkCsrf(ctx, session);
      return true;
    } catch (error) {
      if (!(error instanceof PageError)) throw error;
      const { status, title, message } = error;
      if (await responder.keepForm(ctx, { status, title, message, needsSignIn: false })) return false;
      throw error;
    }
  }
  return async (ctx: DashboardContext, route: Route, params: PageRequest['params']): Promise<void> => {
    const { session } = ctx.state;
    if (session === undefined) {
      if (comesFromElsewhere(ctx)) return responder.redirectPage(ctx);
      return askToSignIn(ctx, '', ctx.state.isStoreAway === true ? STORE_AWAY : ENDED);
    }
    if (!(await isAccepted(ctx, route, session))) return;
    const { signal, outside } = createRequestLimit(deps.workTimeoutMs);
    const request: PageRequest = {
      user: deps.userOf(session, signal),
      namespace: params['project'] ?? '',
      params,
      query: new URLSearchParams(ctx.search),
      form: ctx.state.form ?? new URLSearchParams(),
      now: deps.clock.date(),
      signal,
      outsideLimit: outside,
      left: leftOf(ctx),
    };
    let ended = ENDED;
    try {
      await checkRights(route, request);
      ended = ENDED_MEANWHILE;
      const response = await route.handle(request);
      const navigator = deps.userOf(session, AbortSignal.timeout(deps.workTimeoutMs));
      await responder.respond(ctx, { request, navigator }, response);
    } catch (error) {
      if (!(error instanceof AppError && error.code === 'Unauthorized')) throw error;
      // The token was revoked or has expired, so the session ends.
      await deps.sessionCookie.end(ctx).catch(() => undefined);
      await askToSignIn(ctx, 'ended', ended);
    }
  };
}
