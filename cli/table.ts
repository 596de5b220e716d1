/** Control characters in an untrusted name could rewrite the terminal of the user who lists it. */
const CONTROL = /\p{C}/gu;

export function printable(text: string): string {
  return text.replaceAll(CONTROL, '?');
}

function cell(value: string | number | null): string {
  return value === null || value === '' ? '-' : printable(String(value));
}

const GAP = 3;

type Rows = readonly (readonly (string | number | null)[])[];

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
        .map((value, column) => cell(value).padEnd(widths[column] ?? 0))
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
export function toFields(
  fields: readonly (readonly [name: string, value: string | number | null])[],
): string {
  const width = Math.max(...fields.map(([name]) => name.length)) + 1 + GAP;
  return fields.map(([name, value]) => `${`${name}:`.padEnd(width)}${cell(value)}`).join('\n');
}
