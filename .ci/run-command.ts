import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';

export interface CommandOutcome {
  readonly exitCode: number;
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
}

/** The last line of the test runner. */
const TOTALS = /^(\d+) passed, (\d+) failed(?:, (\d+) skipped)?$/gm;

/** Counts of a command's tests. A command without tests counts as one; one that failed has at least one failure. */
export function outcomeOf(exitCode: number, output: string): CommandOutcome {
  const [, passed = '0', failed = '0', skipped = '0'] = [...output.matchAll(TOTALS)].at(-1) ?? [];
  return {
    exitCode,
    passed: exitCode === 0 ? Math.max(1, Number(passed)) : Number(passed),
    failed: exitCode === 0 ? Number(failed) : Math.max(1, Number(failed)),
    skipped: Number(skipped),
  };
}

/** Passes on whole lines, each with this prefix. */
async function printLines(from: Readable, to: NodeJS.WritableStream, prefix: string): Promise<void> {
  for await (const line of createInterface({ input: from })) to.write(`${prefix}${line}\n`);
}

/**
 * Runs a command, shows its output as it comes, each line with a prefix, and reads the counts of its tests from it.
 * @throws Error when the command cannot be started.
 */
export async function runCommand(
  command: string,
  args: readonly string[],
  prefix: string,
): Promise<CommandOutcome> {
  const child = spawn(command, args, { stdio: ['ignore', 'pipe', 'pipe'] });
  let output = '';
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
    output += chunk;
  });
  const printed = [
    printLines(child.stdout, process.stdout, prefix),
    printLines(child.stderr, process.stderr, prefix),
  ];
  const [code, signal] = (await once(child, 'close')) as [number | null, NodeJS.Signals | null];
  await Promise.all(printed);
  if (signal !== null) console.error(`${command} was ended by ${signal}`);
  return outcomeOf(code ?? 1, output);
}
