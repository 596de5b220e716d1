/** What RFC 9111 tells recipients to take for a number of seconds that is too large for them. */
const MAX_SECONDS = 2 ** 31;
const CENTURY = 100;
/** A two-digit year further ahead than this is meant to be in the past. */
const YEARS_AHEAD = 50;

const SECONDS = /^\d+$/;
const TIME = String.raw`(?<hour>\d{2}):(?<minute>\d{2}):(?<second>\d{2})`;
/** The three forms of an HTTP date. Date.parse reads far more than these, and the last one in the local time zone. */
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
  // A leap second is in the grammar; the 31st of February is not a date.
  const isDate = new Date(Date.UTC(fullYear(year, now), monthIndex, days)).getUTCDate() === days;
  return isDate && hours < 24 && minutes < 60 && seconds <= 60 ? atMs : undefined;
};

const one = (text: string, now: Date): number | undefined => {
  if (SECONDS.test(text)) return Math.min(Number(text), MAX_SECONDS) * 1000;
  const atMs = httpDateMs(text, now);
  return atMs === undefined ? undefined : Math.max(0, atMs - now.getTime());
};

/**
 * Milliseconds that a Retry-After header asks to wait: whole seconds or an HTTP date, one that is past being 0. Undefined when
 * there is none or it is neither. The header stands once; when a proxy added its own, whoever waits for the longest has
 * waited long enough for all. Nothing is too large to be read, so the caller has a limit of its own.
 */
export const retryAfterMs = (
  value: string | readonly string[] | undefined,
  now: Date,
): number | undefined => {
  const texts = typeof value === 'string' ? [value] : (value ?? []);
  const waits = texts.map((text) => one(text.trim(), now)).filter((wait) => wait !== undefined);
  return waits.length === 0 ? undefined : Math.max(...waits);
};
