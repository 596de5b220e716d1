import { spawn } from 'node:child_process';

export interface CommandOutcome {
  readonly exitCode: number;
  readonly passed: number;
  readonly failed: number;
}

const countOf = (output: string, word: string): number => {
  const counts = [...output.matchAll(new RegExp(`^\\s*(\\d+) ${word}\\b`, 'gm'))];
  return counts.reduce((sum, match) => sum + Number(match[1]), 0);
};

/** Runs a command, shows its output as it comes, and adds up what mocha says of passing and failing tests. */
export const runCommand = (command: string, args: readonly string[]): Promise<CommandOutcome> =>
  new Promise((resolve, reject) => {
    const child = spawn(command, args, { stdio: ['ignore', 'pipe', 'inherit'] });
    let output = '';
    child.stdout.on('data', (chunk: Buffer) => {
      output += chunk.toString('utf8');
      process.stdout.write(chunk);
    });
    child.on('error', reject);
    child.on('close', (code, signal) => {
      const exitCode = code ?? 1;
      const passed = countOf(output, 'passing');
      const failed = countOf(output, 'failing');
      if (signal !== null) console.error(`${command} was ended by ${signal}`);
      resolve({ exitCode, passed, failed: exitCode !== 0 && failed === 0 ? 1 : failed });
    });
  });
