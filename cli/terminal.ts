import { createInterface } from 'node:readline/promises';
import { text as readText } from 'node:stream/consumers';
import { errorCode, toError } from '#runtime/errors.ts';
import { redactText } from '#runtime/log/redact.ts';
import { asCalled, NAME, type ProgramName } from './program-name.ts';
import { UsageError } from './usage-error.ts';

interface InputLimit {
  readonly characters: number;
  /** What to do above it. */
  readonly remedy: string;
}

/** Input and output of the program. */
export interface Terminal {
  /** True if prompts are possible. */
  readonly isInteractive: boolean;
  /** Whether standard output shows colors and symbols: it is a terminal, and neither NO_COLOR nor TERM=dumb is set. */
  readonly isDecorated: boolean;
  /**
   * Writes the result to standard output, unchanged. Throws if it cannot be written, but not if its reader has left, unless the text
   * is shown only once.
   */
  print(text: string, isShownOnce?: boolean): Promise<void>;
  /** Writes any other line to standard error, with secrets redacted. Never fails: nobody can be told. */
  note(text: string): void;
  /** Width of the terminal; undefined if no line of it can be rewritten. */
  readonly columns: number | undefined;
  /** Shows a line, with secrets redacted, until anything else is written. Only with `columns`. */
  rewrite(line: string): void;
  /** Reads standard input to its end. The default limit is for credentials. */
  readInput(limit?: InputLimit): Promise<string>;
  /** True for yes. */
  confirm(question: string, signal: AbortSignal): Promise<boolean>;
  /** Does not echo the input. */
  askHidden(question: string, signal: AbortSignal): Promise<string>;
}

/** The standard streams. Only those of a terminal have `isTTY`. */
export interface TerminalOptions {
  readonly input: NodeJS.ReadableStream & { readonly isTTY?: boolean };
  readonly output: NodeJS.WritableStream & { readonly isTTY?: boolean };
  readonly errors: NodeJS.WritableStream & { readonly isTTY?: boolean; readonly columns?: number };
  /** The variable TERM. */
  readonly term?: string | undefined;
  /** The variable NO_COLOR: any text but the empty one forbids colors. */
  readonly noColor?: string | undefined;
  /** How the user calls the program; zipjobs by default. */
  readonly name?: ProgramName;
}

/** Returns to the start of the line and clears it. */
const CLEAR_LINE = '\r\u001B[K';
/** Of a terminal that does not report its width. */
const DEFAULT_COLUMNS = 80;

/** More than any credential needs. */
const CREDENTIALS_LIMIT: InputLimit = { characters: 65_536, remedy: 'Send only the credentials' };

/** The reader of a pipe may leave early, as `| head` does. */
export const LEFT: readonly string[] = ['EPIPE', 'ERR_STREAM_DESTROYED'];

function print({ output }: TerminalOptions, text: string, isShownOnce: boolean): Promise<void> {
  return new Promise((resolve, reject) => {
    output.write(text, (error) => {
      if (error && (isShownOnce || !LEFT.includes(errorCode(error) ?? ''))) reject(error);
      else resolve();
    });
  });
}

const CLOSED = ['pause', 'end', 'close'] as const;

/** Interrupts a prompt whose reader was closed by Control-D or by the end of the input, which not every prompt notices. */
async function whileOpen<T>(
  { input }: TerminalOptions,
  signal: AbortSignal,
  prompt: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const closed = new AbortController();
  function interrupt(): void {
    closed.abort(new DOMException('interrupted', 'AbortError'));
  }
  // A prompt with an answer closes its reader before it returns.
  function onClosed(): void {
    setImmediate(interrupt);
  }
  for (const event of CLOSED) input.once(event, onClosed);
  try {
    return await prompt(AbortSignal.any([signal, closed.signal]));
  } finally {
    for (const event of CLOSED) input.removeListener(event, onClosed);
  }
}

async function confirm(
  { input, errors }: TerminalOptions,
  question: string,
  signal: AbortSignal,
): Promise<boolean> {
  const reader = createInterface({ input, output: errors, terminal: true });
  try {
    return /^y(es)?$/i.test((await reader.question(`${question} [y/N] `, { signal })).trim());
  } catch (error) {
    // Interrupted: start the message on a new line.
    errors.write('\n');
    throw error;
  } finally {
    reader.close();
  }
}

async function askHidden(
  { input, errors }: TerminalOptions,
  question: string,
  signal: AbortSignal,
): Promise<string> {
  const { default: password } = await import('@inquirer/password');
  try {
    return await password(
      { message: question, mask: '*', toggleMask: false },
      { input, output: errors, signal },
    );
  } catch (error) {
    // Control-C at the prompt does not reach the signal handlers.
    if (toError(error).name === 'ExitPromptError') throw new DOMException('interrupted', 'AbortError');
    throw error;
  }
}

function columnsOf({ errors, term }: TerminalOptions): number | undefined {
  return errors.isTTY === true && term !== 'dumb' ? errors.columns || DEFAULT_COLUMNS : undefined;
}

export function createTerminal(options: TerminalOptions): Terminal {
  const { input, output, errors, term, noColor, name = NAME } = options;
  let isLineShown = false;
  function clearLine(): void {
    if (isLineShown) errors.write(CLEAR_LINE);
    isLineShown = false;
  }
  return {
    isDecorated: output.isTTY === true && term !== 'dumb' && (noColor ?? '') === '',
    isInteractive: input.isTTY === true && errors.isTTY === true,
    print: (text, isShownOnce = false) => {
      clearLine();
      return print(options, text, isShownOnce);
    },
    note: (text) => {
      clearLine();
      errors.write(`${redactText(asCalled(text, name))}\n`);
    },
    get columns() {
      return columnsOf(options);
    },
    rewrite: (line) => {
      errors.write(`${CLEAR_LINE}${redactText(line)}`);
      isLineShown = true;
    },
    readInput: async ({ characters, remedy } = CREDENTIALS_LIMIT) => {
      if (input.isTTY === true)
        throw new UsageError('Standard input is a terminal. Pipe or redirect (<) the input instead');
      const read = await readText(input);
      if (read.length > characters)
        throw new UsageError(`Standard input is longer than ${characters} characters. ${remedy}`);
      return read;
    },
    confirm: (question, signal) => whileOpen(options, signal, (within) => confirm(options, question, within)),
    askHidden: (question, signal) =>
      whileOpen(options, signal, (within) => askHidden(options, question, within)),
  };
}
