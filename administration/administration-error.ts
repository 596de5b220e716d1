import { AppError } from '#runtime/errors.ts';

/** What can keep an operation from being done, and whether the same again can help. */
const CODES = {
  /** What was given is wrong; the message names the field. */
  InvalidInput: { retryable: false },
  /** The person lacks a permission; the message names verb, resource and namespace. */
  Forbidden: { retryable: false },
  /** A rule of the cluster stands against it: a policy, a quota, a namespace that is being deleted. */
  Refused: { retryable: false },
  AlreadyExists: { retryable: false },
  /** Something else still needs it. */
  InUse: { retryable: false },
  /** Somebody else changed the object meanwhile. */
  Conflict: { retryable: true },
  NotFound: { retryable: false },
  /** The API server does not know the person. */
  Unauthorized: { retryable: false },
  /** The API server does not answer, or is none. */
  Unreachable: { retryable: true },
  /** What was begun did not end in time. */
  TimedOut: { retryable: true },
  /** It was tried, and it did not work. */
  Failed: { retryable: true },
} as const satisfies Record<string, { retryable: boolean }>;
export type AdministrationErrorCode = keyof typeof CODES;

export interface AdministrationErrorOptions {
  readonly code: AdministrationErrorCode;
  /** Of InvalidInput: the field in question. */
  readonly field?: string;
  readonly cause?: unknown;
}

/** An operation on a project, bucket, token or webhook that was not done. The message is for the person who asked for it. */
export class AdministrationError extends AppError {
  declare readonly code: AdministrationErrorCode;
  readonly field: string | undefined;

  constructor(message: string, { code, field, cause }: AdministrationErrorOptions) {
    super(message, {
      code,
      retryable: CODES[code].retryable,
      cause,
      details: field === undefined ? {} : { field },
    });
    this.field = field;
  }
}

export const invalidInput = (field: string, message: string): AdministrationError =>
  new AdministrationError(message, { code: 'InvalidInput', field });

/** True for an AdministrationError of the code. */
export const hasCode = (thrown: unknown, code: AdministrationErrorCode): thrown is AdministrationError =>
  thrown instanceof AdministrationError && thrown.code === code;
