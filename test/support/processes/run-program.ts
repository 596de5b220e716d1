import { type ChildProcess, spawn } from 'node:child_process';
import { open } from 'node:fs/promises';

export interface RunOptions {
  /** File for the program's standard input. */
  readonly input?: string;
  readonly timeoutMs?: number;
  /** Receives standard output, which is then not collected. */
  readonly onOutput?: (chunk: Buffer) => void;
}

const MOST_MESSAGE_CHARACTERS = 500;

/** An environment in which every reader prints names unchanged. */
const ENV = { ...process.env, LC_ALL: 'C.UTF-8', TZ: 'UTC' };

const endOf = (child: ChildProcess): Promise<string> =>
  new Promise((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (code, signal) => resolve(String(code ?? signal)));
  });

/**
 * Runs a program and returns its output.
 * @throws Error with its error output when it fails.
 */
export const runProgram = async (
  program: string,
  args: readonly string[],
  options: RunOptions = {},
): Promise<Buffer> => {
  const { input, timeoutMs = 600_000 } = options;
  await using file = input === undefined ? undefined : await open(input, 'r');
  const stdin = file?.fd ?? 'ignore';
  const child = spawn(program, args, { stdio: [stdin, 'pipe', 'pipe'], timeout: timeoutMs, env: ENV });
  const output: Buffer[] = [];
  let complaints = '';
  child.stdout?.on('data', options.onOutput ?? ((chunk: Buffer) => output.push(chunk)));
  child.stderr?.on('data', (chunk: Buffer) => {
    if (complaints.length < MOST_MESSAGE_CHARACTERS) complaints += chunk.toString('utf8');
  });
  const ended = await endOf(child);
  const whole = Buffer.concat(output);
  if (ended === '0') return whole;
  const text = `${complaints}\n${whole.subarray(0, MOST_MESSAGE_CHARACTERS).toString('utf8')}`.trim();
  throw new Error(`${program} ended with ${ended}: ${text}`);
};
