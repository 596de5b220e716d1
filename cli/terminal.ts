import { createInterface } from 'node:readline/promises';
import { text as readText } from 'node:stream/consumers';
import type { ReadStream, WriteStream } from 'node:tty';
import { toError } from '#runtime/errors.ts';
import { redactText } from '#runtime/redact.ts';
import { UsageError } from './usage-error.ts';

/** Where the program reads and writes. */
export interface Terminal {
  /** Somebody is there to be asked. */
  readonly isInteractive: boolean;
  /** To standard output, as it is: what was asked for. */
  print(text: string): void;
  /** A line to standard error, without secrets: all the rest. */
  note(text: string): void;
  /** Standard input to its end. */
  readInput(): Promise<string>;
  /** True for yes. */
  confirm(question: string, signal: AbortSignal): Promise<boolean>;
  /** What is typed is not shown. */
  askHidden(question: string, signal: AbortSignal): Promise<string>;
}

export interface TerminalOptions {
  readonly input: ReadStream;
  readonly output: WriteStream;
  readonly errors: WriteStream;
}

/** So much is more than any credential needs. */
const MAX_INPUT_CHARACTERS = 65_536;

const confirm = async (
  { input, errors }: TerminalOptions,
  question: string,
  signal: AbortSignal,
): Promise<boolean> => {
  const reader = createInterface({ input, output: errors, terminal: true });
  try {
    return /^y(es)?$/i.test((await reader.question(`${question} [y/N] `, { signal })).trim());
  } catch (error) {
    // Interrupted: what is said of it begins a line of its own.
    errors.write('\n');
    throw error;
  } finally {
    reader.close();
  }
};

const askHidden = async (
  { input, errors }: TerminalOptions,
  question: string,
  signal: AbortSignal,
): Promise<string> => {
  const { default: password } = await import('@inquirer/password');
  try {
    return await password(
      { message: question, mask: '*', toggleMask: false },
      { input, output: errors, signal },
    );
  } catch (error) {
    // Control-C at the prompt reaches no handler of signals.
    if (toError(error).name === 'ExitPromptError') throw new DOMException('interrupted', 'AbortError');
    throw error;
  }
};

export const createTerminal = (options: TerminalOptions): Terminal => {
  const { input, output, errors } = options;
  return {
    isInteractive: input.isTTY && errors.isTTY,
    print: (text) => {
      output.write(text);
    },
    note: (text) => {
      errors.write(`${redactText(text)}\n`);
    },
    readInput: async () => {
      if (input.isTTY)
        throw new UsageError('Standard input is a terminal: send the text to it by a pipe or by <');
      const read = await readText(input);
      if (read.length > MAX_INPUT_CHARACTERS)
        throw new UsageError(`Standard input holds more than ${MAX_INPUT_CHARACTERS} characters`);
      return read;
    },
    confirm: (question, signal) => confirm(options, question, signal),
    askHidden: (question, signal) => askHidden(options, question, signal),
  };
};
