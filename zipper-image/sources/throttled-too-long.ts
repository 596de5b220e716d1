import { SourceFaultError } from './source-error.ts';

/** How long an origin, or one file, may throttle every request. */
const MOST_THROTTLED_MINUTES = 10;
export const MOST_THROTTLED_MS = MOST_THROTTLED_MINUTES * 60_000;

/** `what` is the first part of a sentence about the file. */
export function throttledTooLong(what: string, httpStatus: number): SourceFaultError {
  return new SourceFaultError({
    code: 'SourceUnavailable',
    text: `${what} for ${MOST_THROTTLED_MINUTES} minutes, at last with status ${httpStatus}`,
    retryable: false,
    httpStatus,
  });
}
