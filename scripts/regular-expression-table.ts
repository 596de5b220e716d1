import type { RegularExpression } from './find-regular-expressions.ts';

/** Code in a cell of a table. */
export function code(text: string): string {
  return `\`\` ${text.replaceAll('|', '\\|')} \`\``;
}

function cellsOf({ path, source, flags }: RegularExpression): string {
  return `| ${path} | ${code(`/${source}/${flags}`)} |`;
}

/**
 * The rows of the table. An expression that `document` has keeps its measured cells, because times differ in every run;
 * `measure` returns those of a new one.
 */
export function tableRows(
  document: string,
  expressions: readonly RegularExpression[],
  measure: (one: RegularExpression) => string,
): readonly string[] {
  const measured = new Map(
    document.split('\n').flatMap((line) => {
      const cells = /^\| \S+ \| `` .*? `` \|/.exec(line)?.[0];
      return cells === undefined ? [] : [[cells, line.slice(cells.length)] as const];
    }),
  );
  return expressions.map((one) => `${cellsOf(one)}${measured.get(cellsOf(one)) ?? measure(one)}`);
}
