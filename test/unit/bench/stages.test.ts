import { expect } from 'chai';
import { type JobMoments, MOMENTS } from '#test/bench/node/job-moments.ts';
import { STAGES, stageTimes, summarize } from '#test/bench/node/stages.ts';

/** Its stages take this time, twice this time, and so on. */
function aJob(ms: number): JobMoments {
  const moments = MOMENTS.map((moment, index) => [moment, 1000 + (ms * index * (index + 1)) / 2] as const);
  return { ...(Object.fromEntries(moments) as Omit<JobMoments, 'responded'>), responded: 1000 + 3 * ms };
}

describe('the stages of a job on a real node', () => {
  it('has one stage between two moments, whose sum is the whole time (G15)', () => {
    const times = stageTimes(aJob(10));
    expect(times).to.deep.equal(STAGES.map((_, index) => 10 * (index + 1)));
  });

  it('gives percentiles of each stage, of ours and of the rest (G15)', () => {
    const jobs = Array.from({ length: 100 }, (_, index) => aJob(index + 1));
    const of = new Map(summarize(jobs).map(({ stage, ...figures }) => [stage, figures]));
    expect(of.get(STAGES[0].name)).to.deep.equal({ p50_ms: 50, p99_ms: 99 });
    expect(of.get(STAGES[8].name)).to.deep.equal({ p50_ms: 450, p99_ms: 891 });
    expect(of.get('ours')).to.deep.equal({ p50_ms: 50 * 27, p99_ms: 99 * 27 });
    expect(of.get('Kubernetes')).to.deep.equal({ p50_ms: 50 * 18, p99_ms: 99 * 18 });
    expect(of.get('POST to succeeded')).to.deep.equal({ p50_ms: 50 * 45, p99_ms: 99 * 45 });
    expect(of.get('POST to its response')).to.deep.equal({ p50_ms: 150, p99_ms: 297 });
  });
});
