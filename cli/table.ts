/** Control characters would let a name that a stranger chose rewrite the terminal of whoever lists it. */
const CONTROL = /\p{C}/gu;

const cell = (value: string | number | null): string =>
  value === null || value === '' ? '-' : String(value).replaceAll(CONTROL, '?');

const GAP = 3;

/** Columns side by side, as kubectl prints them; `-` is what is not set. */
export const toTable = (
  header: readonly string[],
  rows: readonly (readonly (string | number | null)[])[],
): string => {
  const lines = [header, ...rows.map((row) => row.map(cell))];
  const widths = header.map(
    (_, column) => Math.max(...lines.map((line) => (line[column] ?? '').length)) + GAP,
  );
  return lines
    .map((line) =>
      line
        .map((text, column) => text.padEnd(widths[column] ?? 0))
        .join('')
        .trimEnd(),
    )
    .join('\n');
};

/** One thing, a line for each of its fields. */
export const toFields = (
  fields: readonly (readonly [name: string, value: string | number | null])[],
): string => {
  const width = Math.max(...fields.map(([name]) => name.length)) + 1 + GAP;
  return fields.map(([name, value]) => `${`${name}:`.padEnd(width)}${cell(value)}`).join('\n');
};
