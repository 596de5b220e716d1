import { AdministrationError, type AdministrationErrorCode } from '#administration/administration-error.ts';
import { AppError, toError } from '#runtime/errors.ts';
import { isKubeError, type KubeError, type KubeErrorCode } from '#runtime/kube/kube-error.ts';
import type { Logger } from '#runtime/log.ts';
import type { DashboardContext, DashboardMiddleware } from '../context.ts';
import type { MakeFrame } from '../frame/frame.ts';
import { notAllowed, PageError } from '../page.ts';
import type { Render } from '../render.ts';

const REFUSALS: Readonly<Partial<Record<KubeErrorCode, readonly [number, string]>>> = {
  NotFound: [404, 'Not found'],
  AlreadyExists: [409, 'It exists already'],
  Conflict: [409, 'Somebody else changed it'],
  Invalid: [422, 'Refused by the cluster'],
  BadRequest: [422, 'Refused by the cluster'],
  QuotaExceeded: [409, 'A quota is used up'],
  NamespaceTerminating: [409, 'The namespace is being deleted'],
};

const NO_ANSWER = [503, 'The cluster does not answer'] as const;

/** `POST /apis/...: 403 Forbidden: ` goes before what the API server itself says. */
const ownWords = (error: KubeError): string => error.message.replace(/^[A-Z]+ \S+: \d{3} \w+: /, '');

const kubePage = (error: KubeError): PageError => {
  if (error.code === 'Forbidden') return notAllowed(ownWords(error));
  const refusal = REFUSALS[error.code];
  if (refusal !== undefined) return new PageError(...refusal, ownWords(error));
  return new PageError(
    ...NO_ANSWER,
    'The API server of the cluster did not answer in time. Try again in a moment.',
  );
};

const ADMINISTRATION_STATUSES: Readonly<Partial<Record<AdministrationErrorCode, readonly [number, string]>>> =
  {
    InvalidInput: [422, 'Not possible like that'],
    Forbidden: [403, 'Not allowed'],
    Refused: [409, 'Refused by the cluster'],
    AlreadyExists: [409, 'It exists already'],
    InUse: [409, 'Still in use'],
    Conflict: [409, 'Somebody else changed it'],
    NotFound: [404, 'Not found'],
    Failed: [409, 'It did not work'],
  };

const administrationPage = (error: AdministrationError): PageError =>
  new PageError(...(ADMINISTRATION_STATUSES[error.code] ?? NO_ANSWER), error.message);

/** Any thrown value as the page that tells of it. */
const toPageError = (thrown: unknown): PageError => {
  if (thrown instanceof PageError) return thrown;
  if (isKubeError(thrown)) return kubePage(thrown);
  if (thrown instanceof AdministrationError) return administrationPage(thrown);
  if (thrown instanceof AppError && thrown.retryable)
    return new PageError(503, 'Not possible right now', 'Try again in a moment.');
  return new PageError(500, 'Something went wrong', 'The mistake is ours. Nothing more is known here.');
};

export interface ErrorPagesDeps {
  readonly log: Logger;
  readonly render: Render;
  readonly frame: MakeFrame;
}

/** Turns whatever is thrown further in into a page; the only place that does. */
export const createErrorPages = ({ log, render, frame }: ErrorPagesDeps): DashboardMiddleware => {
  const show = async (ctx: DashboardContext, error: PageError): Promise<void> => {
    ctx.status = error.status;
    ctx.type = 'html';
    const view = { status: error.status, title: error.title, message: error.message };
    ctx.body = render('/frame/error', { frame: await frame(ctx, { title: error.title }), view });
  };
  return async (ctx, next) => {
    try {
      await next();
    } catch (thrown) {
      const error = toPageError(thrown);
      if (error.status >= 500)
        log.error({ err: toError(thrown), requestId: ctx.state.requestId }, 'dashboard request failed');
      await show(ctx, error);
    }
  };
};
