import { AppError } from '#runtime/errors.ts';

/** Invalid arguments; the message says how to correct them. */
export class UsageError extends AppError {
  constructor(message: string, cause?: unknown) {
    super(message, { code: 'Usage', retryable: false, cause });
  }
}
