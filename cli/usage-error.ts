import { AppError } from '#runtime/errors.ts';

/** Arguments that the program cannot follow; the message says what to write instead. */
export class UsageError extends AppError {
  constructor(message: string, cause?: unknown) {
    super(message, { code: 'Usage', retryable: false, cause });
  }
}
