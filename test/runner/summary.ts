import type { TestResult } from './messages.ts';
import type { FileResult } from './worker-process.ts';

export interface Counts {
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
}

function countOf(tests: readonly TestResult[], state: TestResult['state']): number {
  return tests.filter((test) => test.state === state && !isHook(test)).length;
}

/** A hook counts only if it fails. */
function isHook({ title, state }: TestResult): boolean {
  return state === 'passed' && /"(before|after) (all|each)" hook/.test(title);
}

export function countsOf(results: readonly FileResult[]): Counts {
  const tests = results.flatMap((result) => result.tests);
  return {
    passed: countOf(tests, 'passed'),
    failed: countOf(tests, 'failed'),
    skipped: countOf(tests, 'skipped'),
  };
}

/** One line for a file: counts and duration. */
export function fileLine(result: FileResult, left: number): string {
  const { passed, failed, skipped } = countsOf([result]);
  const counts = [
    `${passed} passed`,
    ...(failed > 0 ? [`${failed} FAILED`] : []),
    ...(skipped > 0 ? [`${skipped} skipped`] : []),
  ];
  return `${failed > 0 ? '✖' : '✔'} ${result.file}: ${counts.join(', ')} (${result.seconds.toFixed(1)} s), ${left} files left`;
}

const MOST_MESSAGE_LINES = 8;
const MOST_LINE_LENGTH = 400;

function messageLines(message = ''): readonly string[] {
  const lines = message.split('\n').filter((line) => line.trim() !== '');
  return lines.slice(0, MOST_MESSAGE_LINES).map((line) => `      ${line.slice(0, MOST_LINE_LENGTH)}`);
}

/** The titles of the tests that failed, by file, each with the first lines of its error. */
export function failureLines(results: readonly FileResult[]): readonly string[] {
  return results.flatMap(({ file, tests }) =>
    tests
      .filter(({ state }) => state === 'failed')
      .flatMap(({ title, message }) => [`  ${file}: ${title}`, ...messageLines(message)]),
  );
}

/** A Markdown table of the slowest tests and hooks. */
export function slowestTable(results: readonly FileResult[], count: number): string {
  const rows = results
    .flatMap(({ file, tests }) => tests.map((test) => ({ file, ...test })))
    .sort((a, b) => b.milliseconds - a.milliseconds)
    .slice(0, count)
    .map(
      ({ file, title, milliseconds }) =>
        `| ${(milliseconds / 1000).toFixed(1)} | ${file} | ${title.replaceAll('|', '\\|')} |`,
    );
  return ['| s | file | test |', '|---|---|---|', ...rows].join('\n');
}
