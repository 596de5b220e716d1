import { AppError } from '#runtime/errors.ts';

/** What the pod was given is not what this zipper understands; trying again cannot help. */
export class TaskError extends AppError {
  constructor(message: string, options: { readonly cause?: unknown; readonly fileIndex?: number } = {}) {
    const { cause, fileIndex } = options;
    const details = fileIndex === undefined ? {} : { fileIndex };
    super(message, { code: 'InvalidTask', retryable: false, cause, details });
  }
}
