import { isRecord } from './decode.ts';
import { KubeError, type KubeErrorCause, type KubeErrorCode, type KubeErrorFacts } from './kube-error.ts';
import { isPolicyNotReady, policyIn } from './policy-refusal.ts';

/** Reasons of metav1.Status that map directly to a code. Other responses are mapped by HTTP status. */
const BY_REASON: Readonly<Record<string, KubeErrorCode>> = {
  NotFound: 'NotFound',
  AlreadyExists: 'AlreadyExists',
  Conflict: 'Conflict',
  Forbidden: 'Forbidden',
  Unauthorized: 'Unauthorized',
  Invalid: 'Invalid',
  TooManyRequests: 'TooManyRequests',
  Expired: 'Gone',
  Gone: 'Gone',
  RequestEntityTooLarge: 'TooLarge',
  Timeout: 'Timeout',
  ServerTimeout: 'ServerError',
};

const BY_STATUS: Readonly<Record<number, KubeErrorCode>> = {
  400: 'BadRequest',
  401: 'Unauthorized',
  403: 'Forbidden',
  404: 'NotFound',
  408: 'Timeout',
  409: 'Conflict',
  410: 'Gone',
  413: 'TooLarge',
  422: 'Invalid',
  429: 'TooManyRequests',
  504: 'Timeout',
};

/** Codes that say of a refusal by a policy what they say of others. */
const OF_REFUSALS: ReadonlySet<KubeErrorCode> = new Set([
  'Invalid',
  'BadRequest',
  'TooLarge',
  'TooManyRequests',
  'QuotaExceeded',
]);

const FALLBACK_MESSAGES: Readonly<Partial<Record<KubeErrorCode, string>>> = {
  NotServed: 'the API server does not serve this resource; are the CustomResourceDefinitions installed?',
};

export interface StatusResponse {
  /** What was attempted, such as `PUT /api/v1/...`. */
  readonly attempt: string;
  readonly httpStatus: number;
  /** The parsed body, if it is JSON. */
  readonly body: unknown;
  readonly retryAfter?: string | undefined;
}

function text(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

function causesOf(details: unknown): readonly unknown[] {
  return isRecord(details) && Array.isArray(details['causes']) ? details['causes'] : [];
}

/** A response can contain any number of causes. */
const MOST_CAUSES = 20;

/** Go quotes a text; nothing else contains a colon and a space. */
const VALUE = /^[A-Z][a-z]+ value: (?:"(?:[^"\\]|\\.)*"|[^"].*?): /s;

/** `Invalid value: 0: spec.size in body should be ...`, as apimachinery's field.Error and the schema's errors are written. */
function withoutField(message: string, field: string): string {
  const ofSchema = `${field} in body `;
  const at = message.indexOf(ofSchema);
  return at === -1 ? message.replace(VALUE, '') : message.slice(at + ofSchema.length);
}

function fieldCauses(details: unknown): readonly KubeErrorCause[] {
  return causesOf(details)
    .slice(0, MOST_CAUSES)
    .flatMap((cause) => {
      const { field, message } = isRecord(cause) ? cause : {};
      return typeof field === 'string' && typeof message === 'string'
        ? [{ field, message: withoutField(message, field) }]
        : [];
    });
}

/** The message is the only place where RBAC names the user (NewForbidden of apimachinery and the authorizer's reason). */
const USER = /User "([^"]+)" cannot/;
/** Of crds/policy-marks.ts. People do not need it. */
const MARK = /\[(zipjobs\.dev\/[a-z-]+)\] ?/;

function factsOf(status: Readonly<Record<string, unknown>>, message: string): KubeErrorFacts {
  const details = status['details'];
  return {
    user: USER.exec(message)?.[1],
    mark: MARK.exec(message)?.[1],
    policy: policyIn(message),
    resource: isRecord(details) ? text(details['kind']) : undefined,
    causes: fieldCauses(details),
  };
}

function forbiddenCode(status: Readonly<Record<string, unknown>>): KubeErrorCode {
  const causes = causesOf(status['details']);
  if (causes.some((cause) => isRecord(cause) && cause['reason'] === 'NamespaceTerminating'))
    return 'NamespaceTerminating';
  // An exceeded quota has no reason of its own.
  return /exceeded quota|failed quota/.test(text(status['message']) ?? '') ? 'QuotaExceeded' : 'Forbidden';
}

/**
 * What the API server says of a resource that it does not serve, with a reason that it also uses for objects: while it learns or forgets
 * a CustomResourceDefinition, and while it deletes the objects of one that is deleted.
 */
const NOT_SERVED =
  /^the server could not find the requested resource|not allowed while custom resource definition is terminating$/;

/** A 404 without a reason is about the path, so it must not count as a deleted object. */
function isNotServed(status: Readonly<Record<string, unknown>>, httpStatus: number): boolean {
  if (isPolicyNotReady(text(status['message']) ?? '')) return true;
  // Releases of Kubernetes refuse the create with 405 or with 403.
  if (httpStatus !== 404 && httpStatus !== 405 && httpStatus !== 403) return false;
  return (
    (httpStatus === 404 && text(status['reason']) === undefined) ||
    NOT_SERVED.test(text(status['message']) ?? '')
  );
}

function statedCode(status: Readonly<Record<string, unknown>>, httpStatus: number): KubeErrorCode {
  const byStatus = BY_STATUS[httpStatus] ?? (httpStatus >= 500 ? 'ServerError' : 'BadRequest');
  const reason = text(status['reason']);
  if (isNotServed(status, httpStatus)) return 'NotServed';
  const code = BY_REASON[reason ?? ''] ?? byStatus;
  return code === 'Forbidden' ? forbiddenCode(status) : code;
}

/** A webhook chooses the code of its refusal: 404 does not mean that the object is missing, nor 401 that the token is invalid. */
function codeOf(status: Readonly<Record<string, unknown>>, httpStatus: number): KubeErrorCode {
  const code = statedCode(status, httpStatus);
  const isRefusal = policyIn(text(status['message']) ?? '') !== undefined;
  return isRefusal && !OF_REFUSALS.has(code) ? 'Forbidden' : code;
}

function retryAfterMs(response: StatusResponse, details: unknown): number | undefined {
  const header = Number(response.retryAfter ?? Number.NaN);
  if (Number.isFinite(header) && header >= 0) return header * 1000;
  const inBody = isRecord(details) ? details['retryAfterSeconds'] : undefined;
  return typeof inBody === 'number' && inBody > 0 ? inBody * 1000 : undefined;
}

/** The error of a metav1.Status, or of a response that is not one. */
export function statusError(response: StatusResponse): KubeError {
  const status = isRecord(response.body) ? response.body : {};
  const code = codeOf(status, response.httpStatus);
  const message = text(status['message']) ?? FALLBACK_MESSAGES[code] ?? 'the response contains no reason';
  return new KubeError(message.replace(MARK, '').trimEnd(), {
    ...factsOf(status, message),
    attempt: response.attempt,
    code,
    httpStatus: response.httpStatus,
    retryAfterMs: retryAfterMs(response, status['details']),
  });
}
