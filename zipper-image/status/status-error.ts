import type { FailureCode } from '#crds/zipper-contract.ts';
import { AppError } from '#runtime/errors.ts';

export interface StatusErrorOptions {
  readonly code: Extract<FailureCode, 'Superseded' | 'ApiServerUnavailable' | 'Internal'>;
  readonly httpStatus?: number | undefined;
  readonly retryAfterMs?: number | undefined;
  readonly cause?: unknown;
}

/**
 * A write of the ZipJob's status that failed. `Superseded`: the API server says that this pod is not, or no longer, in charge.
 * `Internal`: the write itself is wrong and always will be.
 */
export class StatusError extends AppError {
  declare readonly code: StatusErrorOptions['code'];
  readonly httpStatus: number | undefined;

  constructor(message: string, options: StatusErrorOptions) {
    super(message, {
      code: options.code,
      retryable: options.code === 'ApiServerUnavailable',
      cause: options.cause,
      ...(options.retryAfterMs !== undefined && { retryAfterMs: options.retryAfterMs }),
    });
    this.httpStatus = options.httpStatus;
  }
}
