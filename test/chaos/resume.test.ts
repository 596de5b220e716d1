/** Zippers that end in the middle of their uploads, on the real control plane; a checker verifies the history. */
import { expect } from 'chai';
import { resumesText } from './check-resumes.ts';
import { endsText } from './count-ends.ts';
import { planStopped } from './plan.ts';
import { useWorlds } from './use-worlds.ts';

const SEEDS = [1, 2];

describe('zipjobs whose zippers are killed and drained while they upload', function () {
  this.timeout(1_800_000);
  const worlds = useWorlds({ name: 'resume', lanes: SEEDS.length });

  it('continues their uploads, and publishes the same bytes as without a loss (G12, G13, H8)', async () => {
    const reports = await Promise.all(
      SEEDS.map((seed, index) => worlds.judge(planStopped(seed), worlds.all()[index])),
    );
    for (const { ends, resumes, seconds, bytesTwice } of reports) {
      const twice = `${(bytesTwice / 1024 / 1024).toFixed(1)} MiB uploaded twice`;
      console.log(`      ${endsText(ends)}, ${resumesText(resumes)}, ${twice} in ${seconds.toFixed(0)} s`);
      expect(new Set(ends.map(({ end }) => end))).to.have.all.keys('Succeeded Uploaded');
    }
    expect(reports.reduce((sum, { resumes }) => sum + resumes.resumed, 0)).to.be.greaterThan(0);
  });
});
