import { isDay } from '../time/read-time.ts';

const CENTURY = 100;
/** RFC 9110: a two-digit year that is more than 50 years ahead is in the past. */
const YEARS_AHEAD = 50;
/** RFC 5322, whose format IMF-fixdate is. Servers without a time send the year 1. */
const FIRST_YEAR = 1900;

const DAY = '(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)';
const LONG_DAY = '(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day';
const TIME = String.raw`(?<hour>\d{2}):(?<minute>\d{2}):(?<second>\d{2})`;
/** IMF-fixdate, RFC 850 and asctime. Date.parse accepts many more, and reads the last one in the local time zone. */
const DATES: readonly RegExp[] = [
  new RegExp(String.raw`^${DAY}, (?<day>\d{2}) (?<month>[A-Z][a-z]{2}) (?<year>\d{4}) ${TIME} GMT$`),
  new RegExp(String.raw`^${LONG_DAY}, (?<day>\d{2})-(?<month>[A-Z][a-z]{2})-(?<year>\d{2}) ${TIME} GMT$`),
  new RegExp(String.raw`^${DAY} (?<month>[A-Z][a-z]{2}) (?<day>[ \d]\d) ${TIME} (?<year>\d{4})$`),
];
const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];

function fullYear(text: string, now: Date): number {
  const year = Number(text);
  if (text.length === 4) return year;
  const thisYear = now.getUTCFullYear();
  const guess = thisYear - (thisYear % CENTURY) + year;
  return guess > thisYear + YEARS_AHEAD ? guess - CENTURY : guess;
}

function groupsOf(text: string) {
  for (const form of DATES) {
    const match = form.exec(text);
    if (match) return match.groups;
  }
  return undefined;
}

/** A date in one of the three formats of HTTP (RFC 9110, 5.6.7), whatever the local time zone. Undefined for any other text. */
export function readHttpDate(text: string, now: Date): Date | undefined {
  const groups = groupsOf(text);
  if (!groups) return undefined;
  const { month = '', day, hour, minute, second } = groups;
  const year = fullYear(groups['year'] ?? '', now);
  const monthIndex = MONTHS.indexOf(month);
  const [days, hours, minutes, seconds] = [Number(day), Number(hour), Number(minute), Number(second)];
  if (year < FIRST_YEAR || monthIndex < 0 || !isDay(year, monthIndex, days)) return undefined;
  // The grammar allows a leap second.
  if (hours > 23 || minutes > 59 || seconds > 60) return undefined;
  return new Date(Date.UTC(year, monthIndex, days, hours, minutes, seconds));
}
