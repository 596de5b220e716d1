/** RFC 9111: recipients replace a number of seconds that they cannot represent by 2^31. */
const MAX_SECONDS = 2 ** 31;
const CENTURY = 100;
/** RFC 9110: a two-digit year that is more than 50 years ahead is in the past. */
const YEARS_AHEAD = 50;

const SECONDS = /^\d+$/;
const TIME = String.raw`(?<hour>\d{2}):(?<minute>\d{2}):(?<second>\d{2})`;
/** The three date formats of HTTP. Date.parse accepts many more, and reads the last one in the local time zone. */
const DATES: readonly RegExp[] = [
  new RegExp(String.raw`^[A-Z][a-z]{2}, (?<day>\d{2}) (?<month>[A-Z][a-z]{2}) (?<year>\d{4}) ${TIME} GMT$`),
  new RegExp(String.raw`^[A-Z][a-z]{5,8}, (?<day>\d{2})-(?<month>[A-Z][a-z]{2})-(?<year>\d{2}) ${TIME} GMT$`),
  new RegExp(String.raw`^[A-Z][a-z]{2} (?<month>[A-Z][a-z]{2}) (?<day>[ \d]\d) ${TIME} (?<year>\d{4})$`),
];
const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];

const fullYear = (text: string, now: Date): number => {
  const year = Number(text);
  if (text.length === 4) return year;
  const thisYear = now.getUTCFullYear();
  const guess = thisYear - (thisYear % CENTURY) + year;
  return guess > thisYear + YEARS_AHEAD ? guess - CENTURY : guess;
};

const httpDateMs = (text: string, now: Date): number | undefined => {
  const groups = DATES.map((form) => form.exec(text)?.groups).find((found) => found !== undefined);
  if (!groups) return undefined;
  const { year = '', month = '', day, hour, minute, second } = groups;
  const monthIndex = MONTHS.indexOf(month);
  if (monthIndex < 0) return undefined;
  const [days, hours, minutes, seconds] = [Number(day), Number(hour), Number(minute), Number(second)];
  const atMs = Date.UTC(fullYear(year, now), monthIndex, days, hours, minutes, seconds);
  // The grammar allows a leap second, but 31 February is not a date.
  const isDate = new Date(Date.UTC(fullYear(year, now), monthIndex, days)).getUTCDate() === days;
  return isDate && hours < 24 && minutes < 60 && seconds <= 60 ? atMs : undefined;
};

const one = (text: string, now: Date): number | undefined => {
  if (SECONDS.test(text)) return Math.min(Number(text), MAX_SECONDS) * 1000;
  const atMs = httpDateMs(text, now);
  return atMs === undefined ? undefined : Math.max(0, atMs - now.getTime());
};

/**
 * The wait in milliseconds that a Retry-After header requests, as seconds or as an HTTP date; 0 for a past date.
 * Undefined if the header is missing or invalid. If a proxy added a second header, the longest wait applies. The result
 * has no upper limit, so the caller must set one.
 */
export const retryAfterMs = (
  value: string | readonly string[] | undefined,
  now: Date,
): number | undefined => {
  const texts = typeof value === 'string' ? [value] : (value ?? []);
  const waits = texts.map((text) => one(text.trim(), now)).filter((wait) => wait !== undefined);
  return waits.length === 0 ? undefined : Math.max(...waits);
};
