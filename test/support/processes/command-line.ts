/** Runs the command line in this process. To run it as a process, see command-line-process.ts. */
import { Readable, Writable } from 'node:stream';
import { createCommandLineProgram } from '#cli/wiring.ts';

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
  /** Interrupts the program, as Control-C does. */
  readonly signal?: AbortSignal;
  /** Receives each piece that the program writes to standard error. */
  readonly onNote?: (text: string) => void;
}

/** The variables of a user without a home directory. */
export function environmentOf(user: User, env: RunOptions['env'] = {}) {
  return {
    HOME: '/nonexistent',
    KUBECONFIG: user.kubeconfig,
    ...env,
  };
}

function createSink(onText: (text: string) => void): Writable {
  return new Writable({
    decodeStrings: false,
    write: (text, _encoding, done) => {
      onText(String(text));
      done();
    },
  });
}

/** Runs the program like a user with this kubeconfig, and waits for its end. */
export async function runCommandLine(
  user: User,
  args: readonly string[],
  options: RunOptions = {},
): Promise<Run> {
  const { input = '', env, signal = new AbortController().signal, onNote } = options;
  let [stdout, stderr] = ['', ''];
  const program = createCommandLineProgram({
    env: environmentOf(user, env),
    cwd: user.cwd ?? process.cwd(),
    input: Readable.from([input]),
    output: createSink((text) => (stdout += text)),
    errors: createSink((text) => {
      stderr += text;
      onNote?.(text);
    }),
    signal,
  });
  const exitCode = await program(args);
  return { exitCode, stdout, stderr };
}

/** A user of the command line. */
export interface CommandLine {
  readonly user: User;
  run(args: readonly string[], options?: RunOptions): Promise<Run>;
  /** @throws Error with the output when the exit code is not 0. */
  succeed(args: readonly string[], options?: RunOptions): Promise<Run>;
  /** The parsed output of `-o json`. */
  json(args: readonly string[], options?: RunOptions): Promise<unknown>;
  /** All output so far. */
  readonly printed: string;
}

export function createCommandLine(user: User): CommandLine {
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
    user,
    run,
    succeed,
    json: async (args, options) =>
      JSON.parse((await succeed([...args, '-o', 'json'], options)).stdout) as unknown,
    get printed() {
      return printed;
    },
  };
}
