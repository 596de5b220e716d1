import { AppError } from '#runtime/errors.ts';

/** A body that the API rejects as JSON; its message is safe to show to the caller. */
export class StrictJsonError extends AppError {
  constructor(message: string, cause?: unknown) {
    super(message, { code: 'InvalidJson', retryable: false, cause });
  }
}
