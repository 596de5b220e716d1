import { spawn } from 'node:child_process';
import { once } from 'node:events';

export interface CommandOutcome {
  readonly exitCode: number;
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
  /** What failed: the list of the test runner, or the last lines of another command. Empty if nothing did. */
  readonly failures: string;
}

/** The last line of the test runner. */
const TOTALS = /^(\d+) passed, (\d+) failed(?:, (\d+) skipped)?$/gm;
/** The test runner prints it before the totals. */
const FAILED = '\nFailed:\n';
const LAST_LINES = 40;

function failuresOf(output: string): string {
  const start = output.lastIndexOf(FAILED);
  if (start < 0) return output.trimEnd().split('\n').slice(-LAST_LINES).join('\n');
  return output.slice(start + FAILED.length).split('\n\n')[0] ?? '';
}

/** Counts of a command's tests. A command without tests counts as one; one that failed has at least one failure. */
export function outcomeOf(exitCode: number, output: string): CommandOutcome {
  const [, passed = '0', failed = '0', skipped = '0'] = [...output.matchAll(TOTALS)].at(-1) ?? [];
  return {
    exitCode,
    passed: exitCode === 0 ? Math.max(1, Number(passed)) : Number(passed),
    failed: exitCode === 0 ? Number(failed) : Math.max(1, Number(failed)),
    skipped: Number(skipped),
    failures: exitCode === 0 ? '' : failuresOf(output),
  };
}

/**
 * Runs a command, shows its output as it comes, and reads the counts of its tests from it.
 * @throws Error when the command cannot be started.
 */
export async function runCommand(command: string, args: readonly string[]): Promise<CommandOutcome> {
  const child = spawn(command, args, { stdio: ['ignore', 'pipe', 'pipe'] });
  let output = '';
  for (const name of ['stdout', 'stderr'] as const)
    child[name].setEncoding('utf8').on('data', (chunk: string) => {
      output += chunk;
      process[name].write(chunk);
    });
  const [code, signal] = (await once(child, 'close')) as [number | null, NodeJS.Signals | null];
  if (signal !== null) console.error(`${command} was ended by ${signal}`);
  return outcomeOf(code ?? 1, output);
}
