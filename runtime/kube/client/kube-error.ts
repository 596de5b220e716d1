import { defined } from '../../collections/optional.ts';
import { AppError } from '../../errors.ts';

/** The errors of calls to the API server, and whether the same call can succeed later. */
const KUBE_ERROR_CODES = {
  NotFound: { retryable: false },
  /** The API server does not know the resource: its CRD is missing, being deleted, or not served yet, or a policy waits for it. */
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
  /** Without the field and its value: a sentence, or what the schema requires, such as `should be less than or equal to 9`. */
  readonly message: string;
}

/** What a refusal says beside its message. */
export interface KubeErrorFacts {
  /** The user whom RBAC does not permit the call; undefined for any other refusal. */
  readonly user?: string | undefined;
  /** `zipjobs.dev/in-use` of `[zipjobs.dev/in-use]`, with which a policy of the chart says which of its rules refused. */
  readonly mark?: string | undefined;
  /** The admission webhook or ValidatingAdmissionPolicy that refused the object, such as `validate.kyverno.svc-fail`. */
  readonly policy?: string | undefined;
  /** The resource that was not found, such as `namespaces`. */
  readonly resource?: string | undefined;
  /** Of an object that was rejected; may be empty. */
  readonly causes?: readonly KubeErrorCause[];
}

export interface KubeErrorOptions extends KubeErrorFacts {
  readonly code: KubeErrorCode;
  /** The call, such as `PUT /api/v1/...`; undefined if the message says it. */
  readonly attempt?: string;
  /** Undefined without a response. */
  readonly httpStatus?: number | undefined;
  readonly retryAfterMs?: number | undefined;
  readonly cause?: unknown;
}

function messageOf(said: string, { attempt, httpStatus, code }: KubeErrorOptions): string {
  if (attempt === undefined) return said;
  return httpStatus === undefined ? `${attempt}: ${said}` : `${attempt}: ${httpStatus} ${code}: ${said}`;
}

/** A failed call to the Kubernetes API server. */
export class KubeError extends AppError {
  declare readonly code: KubeErrorCode;
  readonly httpStatus: number | undefined;
  /** The message without the call: what the API server said, or why it said nothing. */
  readonly said: string;
  readonly user: string | undefined;
  readonly mark: string | undefined;
  readonly policy: string | undefined;
  readonly resource: string | undefined;
  readonly causes: readonly KubeErrorCause[];

  constructor(said: string, options: KubeErrorOptions) {
    super(messageOf(said, options), {
      code: options.code,
      retryable: KUBE_ERROR_CODES[options.code].retryable,
      cause: options.cause,
      ...defined({ retryAfterMs: options.retryAfterMs }),
      details: defined({ httpStatus: options.httpStatus, mark: options.mark, policy: options.policy }),
    });
    this.httpStatus = options.httpStatus;
    this.said = said;
    this.user = options.user;
    this.mark = options.mark;
    this.policy = options.policy;
    this.resource = options.resource;
    this.causes = options.causes ?? [];
  }
}

/** True if the value is a KubeError, with one of the codes if any are given. */
export function isKubeError(thrown: unknown, ...codes: readonly KubeErrorCode[]): thrown is KubeError {
  return thrown instanceof KubeError && (codes.length === 0 || codes.includes(thrown.code));
}
