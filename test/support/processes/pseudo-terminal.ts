import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { until } from '../until.ts';

/** The result of a program at a terminal. */
export interface TerminalEnd {
  readonly exitCode: number;
  /** Whether the terminal echoes what is typed. */
  readonly echo: boolean;
}

/** A user at a terminal in which a program runs. */
export interface PseudoTerminal extends AsyncDisposable {
  /** Everything that the terminal has shown, without cursor movements. */
  readonly screen: string;
  /** Waits for the question, then types. */
  respond(question: string, typed: string): Promise<void>;
  readonly ended: Promise<TerminalEnd>;
}

export const CONTROL_C = '\u0003';
export const ENTER = '\r';

/** Starts a program at a real pseudo terminal with Python, because Node has none. */
export function startAtTerminal(
  [program, ...args]: readonly [string, ...string[]],
  env: Readonly<Record<string, string | undefined>>,
): PseudoTerminal {
  const script = join(import.meta.dirname, 'pseudo-terminal.py');
  const child = spawn('python3', [script, program, ...args], { env, timeout: 120_000 });
  let [shown, reported, seen] = ['', '', 0];
  child.stdout.on('data', (chunk: Buffer) => {
    shown += chunk.toString();
  });
  child.stderr.on('data', (chunk: Buffer) => {
    reported += chunk.toString();
  });
  child.stdin.on('error', () => undefined);
  function screen(): string {
    return stripVTControlCharacters(shown);
  }
  const ended = once(child, 'close').then(() => {
    const [, last] = /(\{.*\})\n$/.exec(reported) ?? [];
    if (last === undefined) throw new Error(`the terminal did not start: ${reported}`);
    return JSON.parse(last) as TerminalEnd;
  });
  return {
    get screen() {
      return screen();
    },
    ended,
    respond: async (question, typed) => {
      await until(
        `the question '${question}'`,
        () => screen().indexOf(question, seen) >= 0 || child.exitCode !== null,
      );
      const at = screen().indexOf(question, seen);
      if (at < 0) throw new Error(`it exited without the question '${question}': ${screen()}`);
      seen = at + question.length;
      child.stdin.write(typed);
    },
    [Symbol.asyncDispose]: async () => {
      child.kill();
      await ended.catch(() => undefined);
    },
  };
}
