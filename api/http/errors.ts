import { AppError } from '#runtime/errors.ts';
import { isKubeError } from '#runtime/kube/client/kube-error.ts';
import type { Logger } from '#runtime/log/log.ts';
import {
  ApiError,
  errorBody,
  internalError,
  invalidApiKey,
  invalidJson,
  notAnObject,
  serviceUnavailable,
  tooManyValues,
} from '../errors/api-error.ts';
import { NotAnObjectError, StrictJsonError, TooManyValuesError } from '../errors/strict-json-error.ts';
import type { ApiContext, ApiMiddleware } from './context.ts';

/** Maps any thrown value to the error response. */
function toApiError(thrown: unknown): ApiError {
  if (thrown instanceof ApiError) return thrown;
  if (thrown instanceof StrictJsonError) return invalidJson(thrown.message, thrown);
  if (thrown instanceof NotAnObjectError) return notAnObject(thrown);
  if (thrown instanceof TooManyValuesError) return tooManyValues(thrown);
  // Deleting a project revokes its tokens; the watch has not reported the deletion yet.
  if (isKubeError(thrown, 'NamespaceTerminating')) return invalidApiKey();
  if (thrown instanceof AppError && thrown.retryable) return serviceUnavailable(thrown);
  return internalError(thrown);
}

function respond(ctx: ApiContext, error: ApiError): void {
  ctx.state.error = error;
  ctx.status = error.status;
  ctx.set({ ...error.headers });
  ctx.type = 'application/json';
  ctx.body = errorBody(error);
}

/** Turns everything that inner middleware throw into a response with the error envelope; the only place that does. */
export function createErrors(log: Logger): ApiMiddleware {
  return async (ctx, next): Promise<void> => {
    try {
      await next();
    } catch (thrown) {
      const error = toApiError(thrown);
      respond(ctx, error);
      if (error.status >= 500) log.error({ err: error, requestId: ctx.state.requestId }, 'request failed');
    }
  };
}
