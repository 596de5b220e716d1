import { redactText } from '#runtime/redact.ts';

/** Cuts a list and appends the number of missing lines. */
export const boundLines = (lines: readonly string[], most: number): readonly string[] => {
  if (lines.length <= most) return lines;
  const shown = Math.max(most - 1, 0);
  return [...lines.slice(0, shown), `... ${lines.length - shown} more lines`];
};

// oxlint-disable-next-line no-control-regex -- a log may hold escape sequences of a terminal
const CONTROL = /[\u0000-\u0008\u000b-\u001f\u007f]/g;

/**
 * One line without credentials. It is redacted before it is cut, because half a secret matches no pattern.
 */
export const printableLine = (text: string, mostChars: number): string => {
  const line = redactText(text.replace(/\s*\n\s*/g, ' ').replace(CONTROL, ''));
  return line.length <= mostChars ? line : `${line.slice(0, mostChars - 3)}...`;
};

/** Joins the defined parts with commas. */
export const joined = (...parts: readonly (string | false | undefined)[]): string =>
  parts.filter((part) => part !== false && part !== undefined && part !== '').join(', ');

/** `12:00:01` of an RFC 3339 time. */
export const clockOf = (time: string | undefined): string | undefined => time?.slice(11, 19);
