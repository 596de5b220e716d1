import { defined } from '../../collections/optional.ts';
import { AppError } from '../../errors.ts';

/** The errors of calls to the API server, and whether the same call can succeed later. */
const KUBE_ERROR_CODES = {
  NotFound: { retryable: false },
  /** The API server does not know the resource: its CRD is missing or not served yet. */
  NotServed: { retryable: true },
  AlreadyExists: { retryable: false },
  /** The object has changed since it was read. Read it again. */
  Conflict: { retryable: true },
  Forbidden: { retryable: false },
  /** The token is read again before the next call. */
  Unauthorized: { retryable: true },
  /** The schema, a rule of the CRD or an admission policy rejected the object. */
  Invalid: { retryable: false },
  BadRequest: { retryable: false },
  TooLarge: { retryable: false },
  TooManyRequests: { retryable: true },
  /** The server no longer knows the resourceVersion or continue token. List again. */
  Gone: { retryable: true },
  QuotaExceeded: { retryable: true },
  NamespaceTerminating: { retryable: false },
  ServerError: { retryable: true },
  /** No response within the time limit. The server may still have executed the call. */
  Timeout: { retryable: true },
  /** The connection failed. The server may still have executed the call. */
  Unreachable: { retryable: true },
  /** The response is not the expected JSON. */
  InvalidResponse: { retryable: true },
} as const satisfies Record<string, { retryable: boolean }>;
export type KubeErrorCode = keyof typeof KUBE_ERROR_CODES;

/** One reason why the API server rejected an object. */
export interface KubeErrorCause {
  /** Path of the field, such as `spec.limits.activeJobs`. */
  readonly field: string;
  readonly message: string;
}

export interface KubeErrorOptions {
  readonly code: KubeErrorCode;
  /** Undefined without a response. */
  readonly httpStatus?: number | undefined;
  readonly retryAfterMs?: number | undefined;
  /** Of an object that was rejected; may be empty. */
  readonly causes?: readonly KubeErrorCause[];
  readonly cause?: unknown;
}

/** A failed call to the Kubernetes API server. */
export class KubeError extends AppError {
  declare readonly code: KubeErrorCode;
  readonly httpStatus: number | undefined;
  readonly causes: readonly KubeErrorCause[];

  constructor(message: string, options: KubeErrorOptions) {
    super(message, {
      code: options.code,
      retryable: KUBE_ERROR_CODES[options.code].retryable,
      cause: options.cause,
      ...defined({ retryAfterMs: options.retryAfterMs }),
      details: defined({ httpStatus: options.httpStatus }),
    });
    this.httpStatus = options.httpStatus;
    this.causes = options.causes ?? [];
  }
}

/** True if the value is a KubeError, with one of the codes if any are given. */
export function isKubeError(thrown: unknown, ...codes: readonly KubeErrorCode[]): thrown is KubeError {
  return thrown instanceof KubeError && (codes.length === 0 || codes.includes(thrown.code));
}
