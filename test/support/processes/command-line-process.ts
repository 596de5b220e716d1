import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join, resolve } from 'node:path';
import { text as readText } from 'node:stream/consumers';
import { environmentOf, type Run, type User } from './command-line.ts';
import { compileCacheEnv } from './compile-cache-env.ts';
import { type PseudoTerminal, startAtTerminal } from './pseudo-terminal.ts';

const ROOT = resolve(import.meta.dirname, '../../..');
const PROGRAM = join(ROOT, 'cli/zipjobs');

function environment(user: User, env: Readonly<Record<string, string>> = {}) {
  return {
    ...environmentOf(user, env),
    PATH: `${join(ROOT, 'node_modules/.bin')}:${process.env['PATH'] ?? ''}`,
    // As in the image, where it is already filled.
    ...compileCacheEnv(),
  };
}

interface StartOptions {
  readonly env?: Readonly<Record<string, string>>;
  /** The file that is executed. */
  readonly program?: string;
}

/** Starts the program, or another file that contains it, as a process of this user, with pipes as its streams. */
export function startCommandLine(
  user: User,
  args: readonly string[],
  { env = {}, program = PROGRAM }: StartOptions = {},
): ChildProcessWithoutNullStreams {
  return spawn(program, args, { env: environment(user, env) });
}

export async function endOf(child: ChildProcessWithoutNullStreams): Promise<Run> {
  const ended = once(child, 'close');
  const [stdout, stderr] = await Promise.all([readText(child.stdout), readText(child.stderr)]);
  await ended;
  return { exitCode: child.exitCode ?? -1, stdout, stderr };
}

/** Starts the program as a process at a terminal, where it can ask. */
export function startCommandLineAtTerminal(user: User, args: readonly string[]): PseudoTerminal {
  return startAtTerminal([PROGRAM, ...args], environment(user, { TERM: 'xterm' }));
}
