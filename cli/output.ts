export const OUTPUT_FORMATS = ['table', 'json', 'yaml'] as const;
export type OutputFormat = (typeof OUTPUT_FORMATS)[number];

/** The result of a command. */
export interface Output {
  /** For `-o json` and `-o yaml`: complete, with null for unset fields, and stable across versions. */
  readonly value: unknown;
  /** Printed instead of `value` for `-o json`: a stream of JSON lines. */
  readonly jsonLines?: readonly string[];
  /** For `-o table`. */
  readonly text: string;
  /** Hints and next steps, written to standard error to keep the output for scripts clean. */
  readonly notes?: readonly string[];
  /** What to do if `text` and `value` cannot be written, because they are shown only once. */
  readonly ifLost?: string;
  /** Default 0. */
  readonly exitCode?: number;
}

function withLineEnd(text: string): string {
  return text === '' || text.endsWith('\n') ? text : `${text}\n`;
}

/** The text for standard output. */
export async function renderResponse(
  { value, text, jsonLines }: Output,
  format: OutputFormat,
): Promise<string> {
  switch (format) {
    case 'table':
      return withLineEnd(text);
    case 'json':
      return jsonLines === undefined
        ? `${JSON.stringify(value, undefined, 2)}\n`
        : withLineEnd(jsonLines.join('\n'));
    case 'yaml': {
      const { stringify } = await import('yaml');
      return stringify(value, { aliasDuplicateObjects: false });
    }
  }
}
