import { type AdministrationErrorCode, hasCode } from '#administration/errors/administration-error.ts';
import { AppError } from '#runtime/errors.ts';
import { isKubeError } from '#runtime/kube/client/kube-error.ts';

const STATUSES = {
  invalid_request: 400,
  unauthorized: 401,
  forbidden: 403,
  not_found: 404,
  rate_limited: 429,
  internal: 500,
  busy: 503,
  history_unavailable: 503,
  refused_requests_unavailable: 503,
  cluster_unavailable: 503,
} as const;
type HistoryApiErrorCode = keyof typeof STATUSES;

/** A failed request of a program. The message is for its user. */
export class HistoryApiError extends AppError {
  declare readonly code: HistoryApiErrorCode;
  readonly status: number;

  constructor(code: HistoryApiErrorCode, message: string, cause?: unknown) {
    super(message, { code, retryable: STATUSES[code] >= 500, cause });
    this.status = STATUSES[code];
  }
}

/** Codes of errors that reads of the history and of the project throw. */
const CODES: Readonly<Record<string, HistoryApiErrorCode>> = {
  InvalidFilter: 'invalid_request',
  InvalidCursor: 'invalid_request',
  Page404: 'not_found',
  Page503: 'busy',
  Unauthorized: 'unauthorized',
  Forbidden: 'forbidden',
} satisfies Partial<
  Record<
    AdministrationErrorCode | 'InvalidFilter' | 'InvalidCursor' | 'Page404' | 'Page503',
    HistoryApiErrorCode
  >
>;

function clusterUnavailable(cause: unknown): HistoryApiError {
  return new HistoryApiError(
    'cluster_unavailable',
    'The Kubernetes API server did not respond in time. Try again in a moment',
    cause,
  );
}

function fromAppError(error: AppError): HistoryApiError | undefined {
  if (error.code === 'HistoryUnavailable')
    return new HistoryApiError(
      'history_unavailable',
      'The history database does not respond. Try again in a moment',
      error,
    );
  if (error.code === 'RefusedRequestsUnavailable')
    return new HistoryApiError(
      'refused_requests_unavailable',
      `${error.message}. Try again in a moment`,
      error,
    );
  // The project is all that is read from the API server.
  if (hasCode(error, 'Unreachable')) return clusterUnavailable(error);
  const code = CODES[error.code];
  return code && new HistoryApiError(code, error.message, error);
}

/** The response for any thrown value. It never contains the message of an unexpected error. */
export function toHistoryApiError(thrown: unknown): HistoryApiError {
  if (thrown instanceof HistoryApiError) return thrown;
  if (isKubeError(thrown, 'Unauthorized'))
    return new HistoryApiError(
      'unauthorized',
      'The API server rejected the token. It may have expired',
      thrown,
    );
  if (isKubeError(thrown)) return clusterUnavailable(thrown);
  const known = thrown instanceof AppError ? fromAppError(thrown) : undefined;
  return known ?? new HistoryApiError('internal', 'An internal error occurred', thrown);
}
