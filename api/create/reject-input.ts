import type { HttpFault, RejectionBody } from '#runtime/http/limited-server.ts';
import { type ApiError, badRequest, errorBody } from '../errors/api-error.ts';

const ERRORS: Readonly<Record<HttpFault, ApiError>> = {
  'timed-out': badRequest('request_timeout', 'The request timed out before it was complete. Send it again.'),
  'headers-too-large': badRequest(
    'headers_too_large',
    'The request headers are too large. Send fewer or shorter headers.',
  ),
  malformed: badRequest('malformed_request', 'The request is not valid HTTP.'),
};

/** Input that is not valid HTTP gets the error envelope as well. */
export function rejectInput(fault: HttpFault): RejectionBody {
  const error = ERRORS[fault];
  return {
    status: error.status,
    contentType: 'application/json; charset=utf-8',
    body: errorBody(error),
  };
}
