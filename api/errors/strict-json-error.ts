import { AppError } from '#runtime/errors.ts';

/** A body that the API rejects as JSON; its message is safe to show to the caller. */
export class StrictJsonError extends AppError {
  constructor(message: string, cause?: unknown) {
    super(message, { code: 'InvalidJson', retryable: false, cause });
  }
}

/** A body that is not JSON text. */
export class InvalidTextError extends StrictJsonError {
  /** @param place Without the message of JSON.parse: it quotes the body, which may contain signed URLs. */
  constructor(place?: string) {
    super(place === undefined ? 'The body is not valid JSON.' : `The body is not valid JSON: ${place}.`);
  }
}

/** A body of valid JSON that is not an object. */
export class NotAnObjectError extends AppError {
  constructor() {
    super('The request body is not a JSON object. Send an object with bucket_name, key and urls.', {
      code: 'NotAnObject',
      retryable: false,
    });
  }
}

/** A body with more JSON values than any valid request. */
export class TooManyValuesError extends AppError {
  constructor() {
    super('the body contains too many JSON values', { code: 'TooManyValues', retryable: false });
  }
}
