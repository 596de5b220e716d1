import { randomInt } from 'node:crypto';
import {
  AdministrationError,
  type AdministrationErrorCode,
} from '#administration/errors/administration-error.ts';
import { meaningOfKubeError } from '#administration/errors/explain-kube-error.ts';
import { AppError, toError } from '#runtime/errors.ts';
import { isKubeError, type KubeError } from '#runtime/kube/client/kube-error.ts';
import type { Logger } from '#runtime/log/log.ts';
import type { Frame, FrameOptions, MakeFrame } from '../ui/frame.ts';
import { sectionAt } from '../ui/menu.ts';
import type { Render } from '../ui/render.ts';
import type { User } from '../user/user.ts';
import { type DashboardContext, type DashboardMiddleware, isLive } from './context.ts';
import { keptForm } from './kept-form.ts';
import { BusyError, notAllowed, PageError } from './page.ts';
import type { Session } from './sessions/sessions.ts';

const NO_RESPONSE = [503, 'The cluster is not responding'] as const;

/** Status and title. A new code does not compile without an entry. */
const PAGES: Readonly<Record<AdministrationErrorCode, readonly [number, string]>> = {
  InvalidInput: [422, 'Invalid input'],
  Forbidden: [403, 'Not allowed'],
  Refused: [409, 'Rejected by the cluster'],
  AlreadyExists: [409, 'Already exists'],
  InUse: [409, 'Still in use'],
  Conflict: [409, 'Changed by someone else'],
  NotFound: [404, 'Not found'],
  Unauthorized: [401, 'Not signed in'],
  Unreachable: NO_RESPONSE,
  TimedOut: [503, 'Timed out'],
  Failed: [500, 'Operation failed'],
};

function kubePage(error: KubeError): PageError {
  if (error.code === 'Forbidden') return notAllowed(error.said);
  const [status, title] = PAGES[meaningOfKubeError(error)];
  if (status < 500) return new PageError(status, title, error.said);
  return new PageError(
    status,
    title,
    'The Kubernetes API server failed or did not respond in time. Try again in a moment.',
  );
}

function administrationPage(error: AdministrationError): PageError {
  return new PageError(...PAGES[error.code], error.message);
}

/** The error page for any thrown value. */
function toPageError(thrown: unknown): PageError {
  if (thrown instanceof PageError) return thrown;
  if (isKubeError(thrown)) return kubePage(thrown);
  if (thrown instanceof AdministrationError) return administrationPage(thrown);
  if (thrown instanceof AppError && thrown.retryable)
    return new PageError(503, 'Temporarily unavailable', 'Try again in a moment.');
  return new PageError(
    500,
    'Something went wrong',
    'An internal error occurred. The server log contains the details.',
  );
}

/** For a database or an API server that does not respond. */
const RETRY_AFTER_SECONDS = 5;

/** In seconds: what the API server requested, if it did. */
function retryAfterOf(thrown: unknown): number {
  if (thrown instanceof BusyError) return thrown.retryAfterSeconds;
  const asked = thrown instanceof AppError ? thrown.retryAfterMs : undefined;
  return asked === undefined ? RETRY_AFTER_SECONDS : Math.max(1, Math.ceil(asked / 1000));
}

const LEAST_REOPEN_SECONDS = 10;
const MOST_REOPEN_JITTER_SECONDS = 10;

/** Long and different for each tab, because forgotten ones also reload while the dashboard is overloaded. */
function reopenAfter(retryAfterSeconds: number): number {
  return Math.max(LEAST_REOPEN_SECONDS, retryAfterSeconds) + randomInt(MOST_REOPEN_JITTER_SECONDS);
}

export interface ErrorPagesDeps {
  readonly log: Logger;
  readonly render: Render;
  readonly frame: MakeFrame;
  readonly userOf: (session: Session) => User;
}

/** Errors of the page itself. After any other, the access reviews of the navigation could fail or be too many as well. */
const WITH_NAVIGATION: readonly number[] = [403, 404, 409, 422];
const PROJECT_PATH = /^\/projects\/([^/]+)\/?([^/]*)/;

/** Where the user is, so that an error page has the same navigation as the page that failed. */
function placeOf({ path }: DashboardContext): Pick<FrameOptions, 'namespace' | 'section'> {
  const [, namespace, segment = ''] = PROJECT_PATH.exec(path) ?? [];
  return namespace === undefined ? {} : { namespace, section: sectionAt(segment) };
}

/** The frame of an error page, without the navigation if that fails too. */
function createErrorFrame({ frame, userOf }: Pick<ErrorPagesDeps, 'frame' | 'userOf'>) {
  return async (ctx: DashboardContext, { title, status }: PageError): Promise<Frame> => {
    const { session } = ctx.state;
    if (session === undefined || isLive(ctx) || !WITH_NAVIGATION.includes(status))
      return frame(ctx, { title });
    try {
      const { banner, ...rest } = await frame(ctx, { title, user: userOf(session), ...placeOf(ctx) });
      return { ...rest, banner: status === 403 ? banner : undefined };
    } catch {
      return frame(ctx, { title });
    }
  };
}

/** Turns every error of the inner middleware into a page; no other middleware does. */
export function createErrorPages({ log, render, frame, userOf }: ErrorPagesDeps): DashboardMiddleware {
  const errorFrame = createErrorFrame({ frame, userOf });
  async function show(ctx: DashboardContext, error: PageError, thrown: unknown): Promise<void> {
    ctx.status = error.status;
    if (error.status === 503 && !ctx.res.hasHeader('Retry-After'))
      ctx.set('Retry-After', String(retryAfterOf(thrown)));
    // Browsers open the page again after this time, but never send a form again.
    const reopens = error.status === 503 && ctx.method === 'GET' && !isLive(ctx);
    const reopensAfterSeconds = reopens ? reopenAfter(Number(ctx.response.get('Retry-After'))) : undefined;
    if (reopensAfterSeconds !== undefined) ctx.set('Refresh', String(reopensAfterSeconds));
    ctx.type = 'html';
    const view = {
      status: error.status,
      title: error.title,
      message: error.message,
      reopensAfterSeconds,
    };
    const kept = error.status === 503 && ctx.state.session !== undefined ? keptForm(ctx) : undefined;
    ctx.body =
      kept === undefined
        ? render('/ui/error', { frame: await errorFrame(ctx, error), view })
        : render('/ui/kept-form', {
            frame: await errorFrame(ctx, error),
            view: { ...view, kept, needsSignIn: false, mayBeDone: true },
          });
  }
  return async (ctx, next) => {
    try {
      await next();
    } catch (thrown) {
      const error = toPageError(thrown);
      if (error.status >= 500)
        log.error({ err: toError(thrown), requestId: ctx.state.requestId }, 'dashboard request failed');
      await show(ctx, error, thrown);
    }
  };
}
