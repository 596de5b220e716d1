import { type Decorated, paint } from './decoration.ts';

/** Control characters in an untrusted name could rewrite the terminal of the user who lists it. */
const CONTROL = /\p{C}/gu;

export function printable(text: string): string {
  return text.replaceAll(CONTROL, '?');
}

export type Cell = string | number | Decorated | null;

function isDecorated(value: Cell): value is Decorated {
  return typeof value === 'object' && value !== null;
}

function cell(value: Cell): string {
  const text = isDecorated(value) ? value.text : value;
  return text === null || text === '' ? '-' : printable(String(text));
}

/** After a value that is wider than its column, as in a table that grows. */
const MIN_GAP = 2;

/** Padded to the width, which colors do not change. */
function shown(value: Cell, width: number): string {
  const text = cell(value);
  const painted = isDecorated(value) ? paint(text, value.color) : text;
  return painted + ' '.repeat(Math.max(MIN_GAP, width - text.length));
}

const GAP = 3;

type Rows = readonly (readonly Cell[])[];

/** The width of each column, with the gap after it. */
export function columnWidths(header: readonly string[], rows: Rows): readonly number[] {
  // The arguments of one call are limited, rows are not.
  return header.map((name, column) =>
    rows.reduce((width, row) => Math.max(width, cell(row[column] ?? null).length + GAP), name.length + GAP),
  );
}

/** Lines of a table with these widths. */
export function toLines(rows: Rows, widths: readonly number[]): string {
  return rows
    .map((row) =>
      row
        .map((value, column) => shown(value, widths[column] ?? 0))
        .join('')
        .trimEnd(),
    )
    .join('\n');
}

/** Columns as kubectl prints them; `-` for an empty value. */
export function toTable(header: readonly string[], rows: Rows): string {
  return toLines([header, ...rows], columnWidths(header, rows));
}

/** One object, one line per field. */
export function toFields(fields: readonly (readonly [name: string, value: Cell])[]): string {
  const width = Math.max(...fields.map(([name]) => name.length)) + 1 + GAP;
  return fields.map(([name, value]) => `${`${name}:`.padEnd(width)}${shown(value, 0).trimEnd()}`).join('\n');
}
