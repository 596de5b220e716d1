/** The log of a zipper as text, for readers who are not programs. */
import { readJsonObject } from '#runtime/kube/client/decode.ts';

/** A line of a log. Empty for what is unknown. */
export interface LogLine {
  /** RFC 3339, with milliseconds. */
  readonly at: string;
  readonly level: string;
  readonly text: string;
  /** What else it says: name and value. Values that all lines share are left out. */
  readonly fields: readonly (readonly [name: string, value: string])[];
}

const SHOWN_APART = ['time', 'level', 'message', 'process'];

function textOf(value: unknown): string {
  if (typeof value === 'string') return value;
  // Of an error the message; its stack is in the raw log.
  const message = (value as { readonly message?: unknown } | null | undefined)?.message;
  return typeof message === 'string' ? message : JSON.stringify(value);
}

function toLogLine(line: string): LogLine {
  // A line that was cut is text.
  const fields = line.startsWith('{') ? readJsonObject(line) : undefined;
  if (fields === undefined) return { at: '', level: '', text: line, fields: [] };
  const { time, level, message } = fields;
  return {
    at: typeof time === 'string' && !Number.isNaN(Date.parse(time)) ? time : '',
    level: typeof level === 'string' ? level : '',
    text: message === undefined ? '' : textOf(message),
    fields: Object.entries(fields)
      .filter(([name]) => !SHOWN_APART.includes(name))
      .map(([name, value]) => [name, textOf(value)] as const),
  };
}

/** Redacted lines of JSON as time, level and text. A line that is not JSON is all text. */
export function toLogLines(lines: readonly string[]): readonly LogLine[] {
  const all = lines.map(toLogLine);
  const counts = new Map<string, number>();
  for (const { fields } of all)
    for (const field of fields) counts.set(field.join('='), (counts.get(field.join('=')) ?? 0) + 1);
  const ofJson = all.filter(({ level }) => level !== '').length;
  function isShared(field: LogLine['fields'][number]): boolean {
    return ofJson > 1 && counts.get(field.join('=')) === ofJson;
  }
  return all.map((line) => ({ ...line, fields: line.fields.filter((field) => !isShared(field)) }));
}
