import { execFile } from 'node:child_process';
import { join, resolve } from 'node:path';
import { type PseudoTerminal, startAtTerminal } from './pseudo-terminal.ts';

const ROOT = resolve(import.meta.dirname, '../../..');
const PROGRAM = join(ROOT, 'cli/zipjobs');

/** How a run of the command line ended. */
export interface Run {
  readonly exitCode: number;
  readonly stdout: string;
  readonly stderr: string;
}

export interface User {
  readonly kubeconfig: string;
  /** Where the program is started. */
  readonly cwd?: string;
}

export interface RunOptions {
  /** Text for standard input, which is no terminal; empty without it. */
  readonly input?: string;
  readonly env?: Readonly<Record<string, string>>;
}

const environmentOf = (user: User, env: RunOptions['env'] = {}) => ({
  PATH: `${join(ROOT, 'node_modules/.bin')}:${process.env['PATH'] ?? ''}`,
  HOME: '/nonexistent',
  KUBECONFIG: user.kubeconfig,
  // As in the image, where it is filled already.
  ...(process.env['NODE_COMPILE_CACHE'] && { NODE_COMPILE_CACHE: process.env['NODE_COMPILE_CACHE'] }),
  ...env,
});

/** Starts the real program as a person with this kubeconfig does, and waits for its end. */
export const runCommandLine = (
  user: User,
  args: readonly string[],
  { input = '', env }: RunOptions = {},
): Promise<Run> =>
  new Promise((done) => {
    const options = {
      env: environmentOf(user, env),
      encoding: 'utf8',
      maxBuffer: 64 * 1024 * 1024,
      ...(user.cwd && { cwd: user.cwd }),
    } as const;
    const child = execFile(PROGRAM, [...args], options, (_error, stdout, stderr) => {
      done({ exitCode: child.exitCode ?? -1, stdout, stderr });
    });
    // A program that ends before it has read everything is no fault of the test.
    child.stdin?.on('error', () => undefined);
    child.stdin?.end(input);
  });

/** Somebody who works with the command line. */
export interface CommandLine {
  run(args: readonly string[], options?: RunOptions): Promise<Run>;
  /** @throws Error with what was printed, when the exit code is not 0. */
  succeed(args: readonly string[], options?: RunOptions): Promise<Run>;
  /** Starts the program where the person can be asked. */
  atTerminal(args: readonly string[]): PseudoTerminal;
  /** What `-o json` prints. */
  json(args: readonly string[], options?: RunOptions): Promise<unknown>;
  /** Everything that was printed so far. */
  readonly printed: string;
}

export const createCommandLine = (user: User): CommandLine => {
  let printed = '';
  const run: CommandLine['run'] = async (args, options) => {
    const result = await runCommandLine(user, args, options);
    printed += `${result.stdout}\n${result.stderr}\n`;
    return result;
  };
  const succeed: CommandLine['succeed'] = async (args, options) => {
    const result = await run(args, options);
    if (result.exitCode === 0) return result;
    const { exitCode, stderr, stdout } = result;
    throw new Error(`zipjobs ${args.join(' ')} ended with ${exitCode}:\n${stderr}${stdout}`);
  };
  return {
    run,
    succeed,
    atTerminal: (args) => startAtTerminal([PROGRAM, ...args], environmentOf(user, { TERM: 'xterm' })),
    json: async (args, options) =>
      JSON.parse((await succeed([...args, '-o', 'json'], options)).stdout) as unknown,
    get printed() {
      return printed;
    },
  };
};
