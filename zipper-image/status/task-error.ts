import { defined } from '#runtime/collections/optional.ts';
import { AppError } from '#runtime/errors.ts';

/** The input of the pod is invalid for this zipper; a retry does not help. */
export class TaskError extends AppError {
  constructor(message: string, options: { readonly cause?: unknown; readonly fileIndex?: number } = {}) {
    const { cause, fileIndex } = options;
    const details = defined({ fileIndex });
    super(message, { code: 'InvalidTask', retryable: false, cause, details });
  }
}
