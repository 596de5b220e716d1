import { expect } from 'chai';
import type { TestResult } from '#test/runner/messages.ts';
import { countsOf, failureLines, fileLine, slowestTable } from '#test/runner/summary.ts';
import { outcomeOf } from '../../../.ci/run-command.ts';

function test(title: string, state: TestResult['state'] = 'passed', milliseconds = 5): TestResult {
  return {
    title,
    state,
    milliseconds,
  };
}

function result(...tests: readonly TestResult[]) {
  return { file: 'a.test.ts', seconds: 1.23, output: '', tests };
}

describe('summary of a test run', () => {
  it('counts hooks only if they fail', () => {
    const counted = result(
      test('a passes'),
      test('a "before each" hook for "passes"'),
      test('"after all" hook in "{root}"'),
      {
        ...test('b "before all" hook for "never ran"', 'failed'),
        message: 'the bucket is gone\n\n  at line 1',
      },
      test('c needs unzip', 'skipped'),
    );
    expect(countsOf([counted])).to.deep.equal({ passed: 1, failed: 1, skipped: 1 });
    expect(fileLine(counted, 3)).to.equal('✖ a.test.ts: 1 passed, 1 FAILED, 1 skipped (1.2 s), 3 files left');
    expect(failureLines([counted])).to.deep.equal([
      '  a.test.ts: b "before all" hook for "never ran"',
      '      the bucket is gone',
      '        at line 1',
    ]);
  });

  it('lists the slowest tests, including set-up', () => {
    const rows = slowestTable([result(test('a', 'passed', 900), test('b|c', 'passed', 2_000))], 1).split(
      '\n',
    );
    expect(rows.at(-1)).to.equal('| 2.0 | a.test.ts | b\\|c |');
    expect(rows).to.have.length(3);
  });
});

describe('outcomeOf a pipeline step', () => {
  it('reads the last line with totals', () => {
    const output =
      '1 passed, 0 failed\nnoise\n\nFailed:\n  a.test.ts: fails\n      why\n\n12 passed, 1 failed, 3 skipped\n';
    expect(outcomeOf(1, output)).to.deep.equal({
      exitCode: 1,
      passed: 12,
      failed: 1,
      skipped: 3,
      failures: '  a.test.ts: fails\n      why',
    });
  });

  it('counts a step without tests as one test', () => {
    expect(outcomeOf(0, 'done')).to.deep.equal({
      exitCode: 0,
      passed: 1,
      failed: 0,
      skipped: 0,
      failures: '',
    });
    expect(outcomeOf(2, 'oh\nno\n')).to.deep.equal({
      exitCode: 2,
      passed: 0,
      failed: 1,
      skipped: 0,
      failures: 'oh\nno',
    });
  });

  it('reports a failure if the exit code is not 0', () => {
    expect(outcomeOf(1, '5 passed, 0 failed\n').failed).to.equal(1);
  });
});
