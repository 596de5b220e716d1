import type { FileResult } from './worker-process.ts';

/**
 * One line per reason for skipped tests, the most frequent first. The reasons are in the lines that
 * test/support/processes/require-programs.ts prints.
 */
export function skippedLines(results: readonly FileResult[]): readonly string[] {
  const reasons = new Map<string, number>();
  function add(reason: string, count: number): void {
    if (count > 0) reasons.set(reason, (reasons.get(reason) ?? 0) + count);
  }
  for (const { file, tests, output } of results) {
    const printed = [...output.matchAll(/^\s*Skipped (\d+) tests?: (.+)$/gm)];
    for (const [, count, reason = ''] of printed) add(reason, Number(count));
    const explained = printed.reduce((sum, [, count]) => sum + Number(count), 0);
    const skipped = tests.filter(({ state }) => state === 'skipped');
    add(`${file}, for a reason that the test prints`, skipped.length - explained);
  }
  return [...reasons]
    .toSorted(([reason, a], [other, b]) => b - a || reason.localeCompare(other))
    .map(([reason, count]) => `  ${count} skipped: ${reason}`);
}
