import { execFile } from 'node:child_process';
import { join, resolve } from 'node:path';
import { type PseudoTerminal, startAtTerminal } from './pseudo-terminal.ts';

const ROOT = resolve(import.meta.dirname, '../../..');
const PROGRAM = join(ROOT, 'cli/zipjobs');

/** The result of a run of the command line. */
export interface Run {
  readonly exitCode: number;
  readonly stdout: string;
  readonly stderr: string;
}

export interface User {
  readonly kubeconfig: string;
  /** Working directory. */
  readonly cwd?: string;
}

export interface RunOptions {
  /** Text for standard input, which is not a terminal; empty by default. */
  readonly input?: string;
  readonly env?: Readonly<Record<string, string>>;
}

const environmentOf = (user: User, env: RunOptions['env'] = {}) => ({
  PATH: `${join(ROOT, 'node_modules/.bin')}:${process.env['PATH'] ?? ''}`,
  HOME: '/nonexistent',
  KUBECONFIG: user.kubeconfig,
  // Like in the image, where it is already filled.
  ...(process.env['NODE_COMPILE_CACHE'] && { NODE_COMPILE_CACHE: process.env['NODE_COMPILE_CACHE'] }),
  ...env,
});

/** Runs the real program like a user with this kubeconfig, and waits for its end. */
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
    // The program may exit before it has read all of its input.
    child.stdin?.on('error', () => undefined);
    child.stdin?.end(input);
  });

/** A user of the command line. */
export interface CommandLine {
  run(args: readonly string[], options?: RunOptions): Promise<Run>;
  /** @throws Error with the output when the exit code is not 0. */
  succeed(args: readonly string[], options?: RunOptions): Promise<Run>;
  /** Starts the program at a terminal, where it can ask. */
  atTerminal(args: readonly string[]): PseudoTerminal;
  /** The parsed output of `-o json`. */
  json(args: readonly string[], options?: RunOptions): Promise<unknown>;
  /** All output so far. */
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
