import { stringify } from 'yaml';

export const OUTPUT_FORMATS = ['table', 'json', 'yaml'] as const;
export type OutputFormat = (typeof OUTPUT_FORMATS)[number];

/** What a command has to say once it is done. */
export interface Answer {
  /** For `-o json` and `-o yaml`: complete, with null for what is not set, and of the same form in every version. */
  readonly value: unknown;
  /** For people. */
  readonly text: string;
  /** What to know or to do next; goes to standard error, so that it never mixes with what a script reads. */
  readonly notes?: readonly string[];
  /** Default 0. */
  readonly exitCode?: number;
}

const withLineEnd = (text: string): string => (text === '' || text.endsWith('\n') ? text : `${text}\n`);

/** The text for standard output. */
export const renderAnswer = ({ value, text }: Answer, format: OutputFormat): string => {
  switch (format) {
    case 'table':
      return withLineEnd(text);
    case 'json':
      return `${JSON.stringify(value, undefined, 2)}\n`;
    case 'yaml':
      return stringify(value);
  }
};
