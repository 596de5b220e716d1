import { readTime } from '../time/read-time.ts';

/** As TIME_PATTERN of the schema. */
const RFC_3339 = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(?:\.\d{1,9})?(?:Z|[+-]\d{2}:\d{2})$/;
const EARLIEST_MS = Date.UTC(1980, 0, 1);
const LATEST_MS = Date.UTC(2108, 0, 1) - 1;

/** The end of a sentence about the option. */
export const MODIFICATION_TIME_PROBLEM =
  'is not an RFC 3339 time from 1980 to 2107, such as 2026-01-31T12:00:00Z';

/** The same time in the form of Date; undefined if it is not an RFC 3339 time that an archive can contain. */
export function modificationTime(text: string): string | undefined {
  const time = readTime(text, RFC_3339);
  return !time || time.getTime() < EARLIEST_MS || time.getTime() > LATEST_MS ? undefined : time.toISOString();
}
