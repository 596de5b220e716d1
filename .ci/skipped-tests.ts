/** What mocha and test/support/require-programs.ts print about skipped tests. */
export interface SkippedTests {
  readonly count: number;
  /** Tests by reason. A test that another line of code skips has none. */
  readonly reasons: ReadonlyMap<string, number>;
}

const sumOf = (matches: Iterable<RegExpMatchArray>): number =>
  [...matches].reduce((sum, match) => sum + Number(match[1]), 0);

export const readSkippedTests = (output: string): SkippedTests => {
  const reasons = new Map<string, number>();
  for (const [, tests, reason = ''] of output.matchAll(/^\s*Skipped (\d+) tests?: (.+)$/gm))
    reasons.set(reason, (reasons.get(reason) ?? 0) + Number(tests));
  return { count: sumOf(output.matchAll(/^\s*(\d+) pending\b/gm)), reasons };
};

/** One line per reason, most tests first. */
export const listSkippedTests = (runs: readonly SkippedTests[]): readonly string[] => {
  const reasons = new Map<string, number>();
  for (const [reason, tests] of runs.flatMap((run) => [...run.reasons]))
    reasons.set(reason, (reasons.get(reason) ?? 0) + tests);
  const explained = [...reasons.values()].reduce((sum, tests) => sum + tests, 0);
  const others = runs.reduce((sum, { count }) => sum + count, 0) - explained;
  if (others > 0) reasons.set('no reason given; see the lines that start with "-" above', others);
  return [...reasons]
    .toSorted(([reason, a], [other, b]) => b - a || reason.localeCompare(other))
    .map(([reason, tests]) => `${String(tests).padStart(5)} skipped: ${reason}`);
};
