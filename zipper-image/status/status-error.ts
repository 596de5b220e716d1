import type { FailureCode } from '#crds/exit-codes.ts';
import { defined } from '#runtime/collections/optional.ts';
import { AppError } from '#runtime/errors.ts';

export interface StatusErrorOptions {
  readonly code: Extract<FailureCode, 'Superseded' | 'ApiServerUnavailable' | 'Internal'>;
  readonly httpStatus?: number | undefined;
  /** The API server refused the write, but does not say that another pod is active: it may be starting. */
  readonly isRefusal?: boolean;
  /** It refused what was written, rather than who wrote it. */
  readonly isOfContent?: boolean;
  /** The API server is certain that there is no such object. */
  readonly isGone?: boolean;
  readonly retryAfterMs?: number | undefined;
  readonly cause?: unknown;
}

/**
 * A failed write of the status of the ZipJob or its ZipCheckpoint. `Superseded`: this pod is certainly not, or no longer, active.
 * `Internal`: the response is not such an object, or the API server keeps rejecting the content of the write.
 */
export class StatusError extends AppError {
  declare readonly code: StatusErrorOptions['code'];
  readonly httpStatus: number | undefined;
  readonly isRefusal: boolean;
  readonly isOfContent: boolean;
  readonly isGone: boolean;

  constructor(message: string, options: StatusErrorOptions) {
    super(message, {
      code: options.code,
      retryable: options.code === 'ApiServerUnavailable',
      cause: options.cause,
      ...defined({ retryAfterMs: options.retryAfterMs }),
    });
    this.httpStatus = options.httpStatus;
    this.isRefusal = options.isRefusal === true;
    this.isOfContent = options.isOfContent === true;
    this.isGone = options.isGone === true;
  }
}
