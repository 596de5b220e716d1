/** False for 31 February, which Date takes for a day of March. */
export function isDay(year: number, monthIndex: number, day: number): boolean {
  return new Date(Date.UTC(year, monthIndex, day)).getUTCDate() === day;
}

/** The time in a text of this form, which begins as `2026-01-31T12:00`. Undefined for other texts, and for a day or hour that does not exist. */
export function readTime(text: string, form: RegExp): Date | undefined {
  const time = new Date(form.test(text) ? text : Number.NaN);
  const [year = 0, month = 0, day = 0] = text.slice(0, 10).split('-').map(Number);
  // Date takes hour 24 for the next day.
  if (Number.isNaN(time.getTime()) || !isDay(year, month - 1, day) || text.slice(11, 13) === '24')
    return undefined;
  return time;
}
