import { AppError } from '#runtime/errors.ts';

/** What the pod was given is not what this zipper understands; trying again cannot help. */
export class TaskError extends AppError {
  constructor(message: string, cause?: unknown) {
    super(message, { code: 'InvalidTask', retryable: false, cause });
  }
}
