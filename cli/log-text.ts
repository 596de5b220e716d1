import { isRecord, readJsonObject } from '#runtime/kube/client/decode.ts';
import { levelMark } from './decoration.ts';
import { printable } from './table.ts';

/** Needs no quotes. */
const WORD = /^[^\s"'=]+$/;

/** Without the stack of an error, which takes many lines. */
function withoutStack(value: unknown): unknown {
  if (!isRecord(value) || Array.isArray(value)) return value;
  const { stack: _stack, cause, ...fields } = value;
  return cause === undefined ? fields : { ...fields, cause: withoutStack(cause) };
}

function valueText(value: unknown): string {
  const text = typeof value === 'string' ? value : JSON.stringify(withoutStack(value));
  return typeof value === 'string' && !WORD.test(text) ? JSON.stringify(text) : text;
}

/** `2026-01-01T00:00:00.000Z WARN  retrying a source  fileIndex=3 code=SourceUnavailable`; other lines as they are. */
export function logLineText(line: string, isDecorated: boolean): string {
  // The process is the same in every line.
  const { time, level, message, process: _process, ...fields } = readJsonObject(line) ?? {};
  if (typeof time !== 'string' || typeof level !== 'string') return printable(line);
  const pairs = Object.entries(fields).map(([name, value]) => `${name}=${valueText(value)}`);
  const text = [typeof message === 'string' ? message : '', pairs.join(' ')]
    .filter((part) => part !== '')
    .join('  ');
  return `${printable(time)} ${levelMark(printable(level), isDecorated)} ${printable(text)}`;
}
