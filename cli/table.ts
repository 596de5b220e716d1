/** Control characters in an untrusted name could rewrite the terminal of the user who lists it. */
const CONTROL = /\p{C}/gu;

export function printable(text: string): string {
  return text.replaceAll(CONTROL, '?');
}

function cell(value: string | number | null): string {
  return value === null || value === '' ? '-' : printable(String(value));
}

const GAP = 3;

/** Columns as kubectl prints them; `-` for an empty value. */
export function toTable(
  header: readonly string[],
  rows: readonly (readonly (string | number | null)[])[],
): string {
  const lines = [header, ...rows.map((row) => row.map(cell))];
  // The arguments of one call are limited, rows are not.
  const widths = header.map((_, column) =>
    lines.reduce((width, line) => Math.max(width, (line[column] ?? '').length + GAP), 0),
  );
  return lines
    .map((line) =>
      line
        .map((text, column) => text.padEnd(widths[column] ?? 0))
        .join('')
        .trimEnd(),
    )
    .join('\n');
}

/** One object, one line per field. */
export function toFields(
  fields: readonly (readonly [name: string, value: string | number | null])[],
): string {
  const width = Math.max(...fields.map(([name]) => name.length)) + 1 + GAP;
  return fields.map(([name, value]) => `${`${name}:`.padEnd(width)}${cell(value)}`).join('\n');
}
