import { AppError } from '../errors.ts';
import { defined } from '../optional.ts';

/** What can go wrong in a call to the API server, and whether the same call can succeed later. */
const KUBE_ERROR_CODES = {
  NotFound: { retryable: false },
  /** The resource itself is unknown: CRDs are missing, or not served yet. */
  NotServed: { retryable: true },
  AlreadyExists: { retryable: false },
  /** The object changed since it was read: read it again. */
  Conflict: { retryable: true },
  Forbidden: { retryable: false },
  /** The token is read again before the next call. */
  Unauthorized: { retryable: true },
  /** Refused by the schema, by a rule of the CRD or by an admission policy. */
  Invalid: { retryable: false },
  BadRequest: { retryable: false },
  TooLarge: { retryable: false },
  TooManyRequests: { retryable: true },
  /** A resourceVersion or continue token that the server no longer knows: list again. */
  Gone: { retryable: true },
  QuotaExceeded: { retryable: true },
  NamespaceTerminating: { retryable: false },
  ServerError: { retryable: true },
  /** No answer within the time limit; the call may have been carried out all the same. */
  Timeout: { retryable: true },
  /** The connection failed; the call may have been carried out all the same. */
  Unreachable: { retryable: true },
  /** The answer is not the JSON that was asked for. */
  InvalidResponse: { retryable: true },
} as const satisfies Record<string, { retryable: boolean }>;
export type KubeErrorCode = keyof typeof KUBE_ERROR_CODES;

export interface KubeErrorOptions {
  readonly code: KubeErrorCode;
  /** Undefined when no answer came. */
  readonly httpStatus?: number | undefined;
  readonly retryAfterMs?: number | undefined;
  readonly cause?: unknown;
}

/** A failed call to the Kubernetes API server. */
export class KubeError extends AppError {
  declare readonly code: KubeErrorCode;
  readonly httpStatus: number | undefined;

  constructor(message: string, options: KubeErrorOptions) {
    super(message, {
      code: options.code,
      retryable: KUBE_ERROR_CODES[options.code].retryable,
      cause: options.cause,
      ...defined({ retryAfterMs: options.retryAfterMs }),
      details: defined({ httpStatus: options.httpStatus }),
    });
    this.httpStatus = options.httpStatus;
  }
}

/** True when the thrown value is a KubeError of one of the codes. */
export const isKubeError = (thrown: unknown, ...codes: readonly KubeErrorCode[]): thrown is KubeError =>
  thrown instanceof KubeError && (codes.length === 0 || codes.includes(thrown.code));
