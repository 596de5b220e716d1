import { expect } from 'chai';
import { isFarTooSlow } from '#controller/zip-job/policies/deadline.ts';
import type { Progress } from '#crds/zip-job.ts';
import { withStatus } from '#test/support/builders/judge.ts';
import { ago, aJob } from '#test/support/builders/objects.ts';
import { progressOf, running } from '#test/support/builders/zip-job-statuses.ts';

const SETTINGS = { activeDeadlineSeconds: 7200 };
/** The Job has run for 100 s, so the deadline is in 7,115 s. */
const job = aJob({ metadata: { creationTimestamp: ago(100) }, status: { startTime: ago(100) } });

function isSlow(change: Partial<Progress>, spec = {}): boolean {
  const progress = { ...progressOf('uid-p1'), filesTotal: 10, filesDone: 5, ...change };
  return isFarTooSlow(withStatus(running('p1', { progress }), spec), job, SETTINGS);
}

function in_(seconds: number): string {
  return ago(-seconds);
}

describe('a job that is far too slow (F40)', () => {
  for (const [what, change, spec, want] of [
    ['ends a time limit after its deadline', { estimatedEndAt: in_(14_316) }, {}, true],
    ['ends a little earlier', { estimatedEndAt: in_(14_314) }, {}, false],
    ['has no estimate', {}, {}, false],
    ['has read less than half of its files', { estimatedEndAt: in_(99_999), filesDone: 4 }, {}, false],
    [
      'has read a tenth of its bytes',
      { estimatedEndAt: in_(99_999), filesDone: 0, bytesTotal: 10_000 },
      {},
      true,
    ],
    ['has read less of its bytes', { estimatedEndAt: in_(99_999), bytesTotal: 10_001 }, {}, false],
    [
      'has a longer deadline of its own',
      { estimatedEndAt: in_(19_900) },
      { activeDeadlineSeconds: 10_000 },
      false,
    ],
  ] as const)
    it(`is ${want ? '' : 'not '}one that ${what}`, () => {
      expect(isSlow(change, spec)).to.equal(want);
    });
});
