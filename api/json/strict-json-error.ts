import { AppError } from '#runtime/errors.ts';

/** A body that is not the JSON that the API takes; its message may be shown to the caller. */
export class StrictJsonError extends AppError {
  constructor(message: string, cause?: unknown) {
    super(message, { code: 'InvalidJson', retryable: false, cause });
  }
}
