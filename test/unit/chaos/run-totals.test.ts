import { expect } from 'chai';
import { NO_RESUMES } from '#test/chaos/check-resumes.ts';
import type { JobEnd } from '#test/chaos/count-ends.ts';
import { createRunTotals } from '#test/chaos/run-totals.ts';

const MIB = 1024 * 1024;
const succeeded: JobEnd = { kind: 'slow', end: 'Succeeded Uploaded' };

describe('createRunTotals', () => {
  it('reports ends by planned kind, the seeds, the slowest schedule and the seeds with violations (F30)', () => {
    const totals = createRunTotals();
    totals.add(8, {
      ends: [succeeded],
      seconds: 4,
      bytesTwice: MIB,
      resumes: { resumed: 2, refused: { UploadGone: 1 } },
      violations: [{ rule: 'H5', text: 'never finished' }],
    });
    totals.add(7, {
      ends: [succeeded, { kind: 'slow', end: 'unfinished' }],
      seconds: 2,
      bytesTwice: MIB / 2,
      resumes: { resumed: 1, refused: { UploadGone: 1, OtherPlan: 1 } },
      violations: [],
    });
    expect(totals.lines()).to.deep.equal([
      'slow            3 jobs: 2 Succeeded Uploaded, 1 unfinished',
      'seeds 7 to 8: 3.0 s on average, at most 4.0 s (seed 8)',
      '1.5 MiB were uploaded twice',
      '3 Resumed, 2 ResumeRefused (UploadGone), 1 ResumeRefused (OtherPlan)',
      'violations in seed 8',
    ]);
    expect([totals.schedules, totals.violations]).to.deep.equal([2, 1]);
  });

  it('counts a kind of job that never ended as planned as a violation (F30)', () => {
    const totals = createRunTotals();
    const ends = Array.from({ length: 20 }, (): JobEnd => ({ ...succeeded, kind: 'cancelled' }));
    totals.add(1, { ends, seconds: 1, bytesTwice: 0, resumes: NO_RESUMES, violations: [] });
    expect(totals.violations).to.equal(1);
    expect(totals.lines().at(-1)).to.contain('none of 20 jobs planned as cancelled');
  });
});
