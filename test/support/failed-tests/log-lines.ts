/** Selects the log lines of a failed test, and formats them. */
import type { TestWindow } from './test-window.ts';

const WARNING_LEVELS = new Set(['warn', 'error', 'fatal']);

type Entry = Readonly<Record<string, unknown>>;

/** A line of pino; undefined for any other text. */
const parseEntry = (line: string): Entry | undefined => {
  if (!line.startsWith('{')) return undefined;
  try {
    return JSON.parse(line) as Entry;
  } catch {
    return undefined;
  }
};

const timeOf = (entry: Entry | undefined): number => {
  const time = entry?.['time'];
  return typeof time === 'string' ? Date.parse(time) : Number.NaN;
};

/**
 * The lines within the time of the test. A line without a time, such as of a stack trace, belongs to the
 * previous line.
 */
export const linesWithin = (text: string, { from, to }: TestWindow): readonly string[] => {
  let isWithin = true;
  return text.split('\n').filter((line) => {
    if (line === '') return false;
    const time = timeOf(parseEntry(line));
    if (!Number.isNaN(time)) isWithin = time >= from && time <= to;
    return isWithin;
  });
};

/** Lines of pino with the same kind are similar: a polled API logs the same request many times. */
const kindOf = (entry: Entry): string =>
  JSON.stringify(
    ['level', 'message', 'method', 'path', 'status', 'reason', 'phase'].map((name) => entry[name]),
  );

/** `12:00:01.123 error message {other fields}`; other text is returned unchanged. */
const formatLine = (line: string, entry: Entry | undefined, times: number): string => {
  if (entry === undefined) return line;
  const { time, level, message, process: _process, ...fields } = entry;
  const rest = Object.keys(fields).length > 0 ? JSON.stringify(fields) : '';
  const repeated = times > 1 ? `(${times} times, the last:)` : '';
  const parts = [String(time).slice(11, 23), level, message, repeated, rest];
  return parts.filter((part) => part !== undefined && part !== '').join(' ');
};

/**
 * The last lines that contain one of these words or are warnings or errors; the last of all lines if none do.
 * Of consecutive similar lines only the last is returned.
 */
export const lastLines = (
  lines: readonly string[],
  words: readonly string[],
  most: number,
): readonly string[] => {
  const all = lines.map((line) => ({ line, entry: parseEntry(line), times: 1 }));
  const isWarning = (entry: Entry | undefined): boolean => WARNING_LEVELS.has(String(entry?.['level']));
  const concerned = all.filter(
    ({ line, entry }) => isWarning(entry) || words.some((word) => line.includes(word)),
  );
  const shown: typeof all = [];
  for (const one of concerned.length > 0 ? concerned : all) {
    const last = shown.at(-1);
    const isLike = last?.entry && one.entry && kindOf(last.entry) === kindOf(one.entry);
    if (isLike) shown.splice(-1, 1, { ...one, times: last.times + 1 });
    else shown.push(one);
  }
  return most <= 0 ? [] : shown.slice(-most).map(({ line, entry, times }) => formatLine(line, entry, times));
};

/** Format of Kubernetes: `W0504 12:00:01.123456  123 file.go:1] text`, in local time. */
const KUBERNETES_WARNING = /^[WEF](\d\d)(\d\d) (\d\d):(\d\d):(\d\d)\./;

/** Warnings and errors of a Kubernetes server within the time of the test. */
export const warningsWithin = (text: string, { from, to }: TestWindow): readonly string[] => {
  const year = new Date(to).getFullYear();
  return text.split('\n').filter((line) => {
    const match = KUBERNETES_WARNING.exec(line);
    if (match === null) return false;
    const [month = 1, day = 1, hour = 0, minute = 0, second = 0] = match.slice(1).map(Number);
    const time = new Date(year, month - 1, day, hour, minute, second).getTime();
    return time >= from - 1_000 && time <= to;
  });
};
