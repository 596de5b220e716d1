import { readHttpDate } from './http-date.ts';

/** RFC 9111: recipients replace a number of seconds that they cannot represent by 2^31. */
const MAX_SECONDS = 2 ** 31;

const SECONDS = /^\d+$/;

function one(text: string, now: Date): number | undefined {
  if (SECONDS.test(text)) return Math.min(Number(text), MAX_SECONDS) * 1000;
  const at = readHttpDate(text, now);
  return at && Math.max(0, at.getTime() - now.getTime());
}

/**
 * The wait in milliseconds that a Retry-After header requests, as seconds or as an HTTP date; 0 for a past date.
 * Undefined if the header is missing or invalid. If a proxy added a second header, the longest wait applies. The result
 * has no upper limit, so the caller must set one.
 */
export function retryAfterMs(value: string | readonly string[] | undefined, now: Date): number | undefined {
  const texts = typeof value === 'string' ? [value] : (value ?? []);
  const waits = texts.map((text) => one(text.trim(), now)).filter((wait) => wait !== undefined);
  return waits.length === 0 ? undefined : Math.max(...waits);
}
