import { type ChildProcess, spawn } from 'node:child_process';
import { createReadStream } from 'node:fs';
import { pipeline } from 'node:stream/promises';

export interface RunOptions {
  /** File whose content the program gets through a pipe, in which it cannot seek. */
  readonly input?: string;
  readonly timeoutMs?: number;
  /** Default UTC. */
  readonly timeZone?: string;
  /** Receives standard output, which is then not collected. */
  readonly onOutput?: (chunk: Buffer) => void;
}

const MOST_MESSAGE_CHARACTERS = 500;

/** An environment in which every reader prints names unchanged. */
function environment(timeZone: string) {
  return { ...process.env, LC_ALL: 'C.UTF-8', TZ: timeZone };
}

function endOf(child: ChildProcess): Promise<string> {
  return new Promise((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (code, signal) => resolve(String(code ?? signal)));
  });
}

/** A program may end before it has read everything. Its exit code says whether that was enough. */
function feed(input: string | undefined, { stdin }: ChildProcess): void {
  if (input !== undefined && stdin) void pipeline(createReadStream(input), stdin).catch(() => undefined);
}

/**
 * Runs a program and returns its output.
 * @throws Error with its error output when it fails.
 */
export async function runProgram(
  program: string,
  args: readonly string[],
  options: RunOptions = {},
): Promise<Buffer> {
  const { input, timeoutMs = 600_000, timeZone = 'UTC' } = options;
  const child = spawn(program, args, {
    stdio: [input === undefined ? 'ignore' : 'pipe', 'pipe', 'pipe'],
    timeout: timeoutMs,
    env: environment(timeZone),
  });
  feed(input, child);
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
}
