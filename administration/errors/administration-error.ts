import { defined } from '#runtime/collections/optional.ts';
import { AppError } from '#runtime/errors.ts';

/** Failure codes, and whether a retry can help. */
const CODES = {
  /** The input is invalid; the message names the field. */
  InvalidInput: { retryable: false },
  /** The user lacks a permission; the message contains verb, resource and namespace. */
  Forbidden: { retryable: false },
  /** Rejected by a policy, a quota, or a namespace that is being deleted. */
  Refused: { retryable: false },
  AlreadyExists: { retryable: false },
  /** Another object still refers to it. */
  InUse: { retryable: false },
  /** The object was modified concurrently. */
  Conflict: { retryable: true },
  NotFound: { retryable: false },
  /** The API server rejects the user's credentials. */
  Unauthorized: { retryable: false },
  /** The API server does not respond or fails, or the address is not an API server. */
  Unreachable: { retryable: true },
  /** The operation started but did not finish in time. */
  TimedOut: { retryable: true },
  /** An unexpected error, such as a bug. */
  Failed: { retryable: true },
} as const satisfies Record<string, { retryable: boolean }>;
export type AdministrationErrorCode = keyof typeof CODES;

export interface AdministrationErrorOptions {
  readonly code: AdministrationErrorCode;
  /** The invalid field, for InvalidInput. */
  readonly field?: string;
  /** What to do next in a terminal, as a sentence. Only the command line shows it. */
  readonly commandHint?: string;
  readonly retryAfterMs?: number | undefined;
  readonly cause?: unknown;
}

/** A failed operation on a project, bucket, token or webhook. The message is shown to the user. */
export class AdministrationError extends AppError {
  declare readonly code: AdministrationErrorCode;
  readonly field: string | undefined;
  readonly commandHint: string | undefined;

  constructor(
    message: string,
    { code, field, commandHint, retryAfterMs, cause }: AdministrationErrorOptions,
  ) {
    super(message, {
      code,
      retryable: CODES[code].retryable,
      cause,
      details: defined({ field }),
      ...defined({ retryAfterMs }),
    });
    this.field = field;
    this.commandHint = commandHint;
  }
}

export function invalidInput(field: string, message: string): AdministrationError {
  return new AdministrationError(message, { code: 'InvalidInput', field });
}

/** True for an AdministrationError with this code. */
export function hasCode(thrown: unknown, code: AdministrationErrorCode): thrown is AdministrationError {
  return thrown instanceof AdministrationError && thrown.code === code;
}
