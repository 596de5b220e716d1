import type { FailureCode } from '#crds/zipper-contract.ts';
import { AppError } from '#runtime/errors.ts';
import { defined } from '#runtime/optional.ts';

export interface StatusErrorOptions {
  readonly code: Extract<FailureCode, 'Superseded' | 'ApiServerUnavailable' | 'Internal'>;
  readonly httpStatus?: number | undefined;
  readonly retryAfterMs?: number | undefined;
  readonly cause?: unknown;
}

/**
 * A failed write of the ZipJob's status. `Superseded`: the API server reports that this pod is not, or no longer, active.
 * `Internal`: the write itself is invalid, so a retry does not help.
 */
export class StatusError extends AppError {
  declare readonly code: StatusErrorOptions['code'];
  readonly httpStatus: number | undefined;

  constructor(message: string, options: StatusErrorOptions) {
    super(message, {
      code: options.code,
      retryable: options.code === 'ApiServerUnavailable',
      cause: options.cause,
      ...defined({ retryAfterMs: options.retryAfterMs }),
    });
    this.httpStatus = options.httpStatus;
  }
}
