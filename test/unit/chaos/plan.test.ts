import { expect } from 'chai';
import { planOf } from '#test/chaos/plan.ts';

describe('planOf', () => {
  it('returns the same plan for the same seed, and every kind of fault within 300 seeds', () => {
    expect(planOf(42)).to.deep.equal(planOf(42));
    expect(planOf(42)).to.not.deep.equal(planOf(43));
    const kinds = new Set(
      Array.from({ length: 300 }, (_, seed) => planOf(seed).faults.map(({ kind }) => kind)).flat(),
    );
    expect(kinds).to.include.members([
      'kill',
      'late',
      'lose-deletes',
      'restart-api-server',
      'lose-node',
      'flap',
      'rotate-secret',
      'node-clock',
      'store-away',
      'hang',
      'store-blips',
      'store-assembles',
      'api-server-starts',
      'api-servers-disagree',
      'stop-zippers',
    ]);
  });

  it('stops the zippers of large jobs in half of the schedules', () => {
    const plans = Array.from({ length: 300 }, (_, seed) => planOf(seed));
    const stopped = plans.filter(({ faults }) => faults.some(({ kind }) => kind === 'stop-zippers'));
    expect(stopped).to.have.lengthOf.within(130, 170);
    for (const { jobs } of plans) expect(jobs.filter(({ kind }) => kind === 'resuming')).to.have.length(3);
  });

  it('has at least 20 jobs and every kind of job within five seeds (F30)', () => {
    const plans = Array.from({ length: 5 }, (_, seed) => planOf(seed + 1));
    for (const { jobs } of plans) expect(jobs).to.have.lengthOf.at.least(20);
    const kinds = new Set(plans.flatMap(({ jobs }) => jobs.map(({ kind }) => kind)));
    expect([...kinds]).to.have.members([
      'ordinary',
      'slow',
      'missing',
      'cancelled',
      'deleted',
      'replacing',
      'resuming',
    ]);
  });
});
