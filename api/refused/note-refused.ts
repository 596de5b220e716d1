import { uidOf } from '#crds/object-meta.ts';
import { shownPath } from '#runtime/refused-requests/refused-request.ts';
import type { ApiContext, ApiMiddleware } from '../http/context.ts';
import type { Refusal, RefusedLog } from './refused-log.ts';

/** Undefined for a success, and for a request without a valid token, which has no project. */
function refusalOf({ method, state }: ApiContext): Refusal | undefined {
  const { error, principal, requestId, route = '' } = state;
  if (error === undefined || principal === undefined) return undefined;
  const { status, code, path } = error;
  return {
    projectUid: uidOf(principal.project),
    requestId,
    token: principal.mask,
    method,
    route,
    status,
    code,
    param: shownPath(path ?? ''),
  };
}

/** Notes every request of a project that was refused. Must be outside of what writes error responses. */
export function createNoteRefused(log: Pick<RefusedLog, 'note'>): ApiMiddleware {
  return async (ctx, next): Promise<void> => {
    await next();
    const refusal = refusalOf(ctx);
    if (refusal !== undefined) log.note(refusal);
  };
}
