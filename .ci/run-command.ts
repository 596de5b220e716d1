import { spawn } from 'node:child_process';
import { readSkippedTests, type SkippedTests } from './skipped-tests.ts';

export interface CommandOutcome {
  readonly exitCode: number;
  readonly passed: number;
  readonly failed: number;
  readonly skipped: SkippedTests;
}

const countOf = (output: string, word: string): number => {
  const counts = [...output.matchAll(new RegExp(`^\\s*(\\d+) ${word}\\b`, 'gm'))];
  return counts.reduce((sum, match) => sum + Number(match[1]), 0);
};

/** Runs a command, shows its output as it comes or at its end, and adds up the passing, failing and skipped tests of mocha. */
export const runCommand = (
  command: string,
  args: readonly string[],
  { isShownAtEnd = false } = {},
): Promise<CommandOutcome> =>
  new Promise((resolve, reject) => {
    const child = spawn(command, args, { stdio: ['ignore', 'pipe', isShownAtEnd ? 'pipe' : 'inherit'] });
    let output = '';
    const take = (chunk: string): void => {
      output += chunk;
      if (!isShownAtEnd) process.stdout.write(chunk);
    };
    child.stdout?.setEncoding('utf8').on('data', take);
    child.stderr?.setEncoding('utf8').on('data', take);
    child.on('error', reject);
    child.on('close', (code, signal) => {
      if (isShownAtEnd) process.stdout.write(output);
      const exitCode = code ?? 1;
      const passed = countOf(output, 'passing');
      const failed = countOf(output, 'failing');
      if (signal !== null) console.error(`${command} was ended by ${signal}`);
      resolve({
        exitCode,
        passed,
        failed: exitCode !== 0 && failed === 0 ? 1 : failed,
        skipped: readSkippedTests(output),
      });
    });
  });
