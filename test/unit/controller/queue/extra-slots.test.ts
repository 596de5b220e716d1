import { expect } from 'chai';
import { end, queuedJob as job } from '#test/support/builders/queued-jobs.ts';
import { setUp } from './ledger-setup.ts';

function jobsOf(project: string, count: number) {
  return Array.from({ length: count }, (_, n) => job(`${project}${n}`, { project, age: 90 - n }));
}

describe('slots above the limit in all', () => {
  for (const [inAll, extra] of [
    [1, 1],
    [9, 1],
    [10, 1],
    [29, 2],
    [100, 10],
  ] as const)
    it(`are at most ${extra} of ${inAll}, each for a project without a running job (F40)`, () => {
      const { ledger, reserve } = setUp({ inAll, ofProject: () => 1000, perBucket: 1000 });
      const states = reserve(...jobsOf('slow', inAll + 1));
      expect(states.filter((state) => state === 'reserved')).to.have.lengthOf(inAll);
      const others = Array.from({ length: extra + 1 }, (_, n) => jobsOf(`p${n}`, 2));
      for (const [n, jobs] of others.entries())
        expect(reserve(...jobs), `project ${n}`).to.deep.equal([
          n < extra ? 'reserved' : 'waiting',
          'waiting',
        ]);
      expect(ledger.position(others.at(-1)?.[0] ?? job('x')).blocked?.message).to.match(
        /^at most \d+ jobs can run/,
      );
    });

  it('go to the project that has waited longest, and are free again after its job (F40)', () => {
    const { ledger, reserved, reserve } = setUp({ inAll: 1 });
    reserve(...jobsOf('slow', 2));
    const [[first], [second]] = [jobsOf('b', 1), jobsOf('c', 1)];
    if (!first || !second) throw new Error('no jobs');
    expect(reserve(first, second)).to.deep.equal(['reserved', 'waiting']);
    end(ledger, first);
    expect(reserved).to.deep.equal(['c/c0']);
    end(ledger, second);
    expect(reserved, 'not for the project that has a running job').to.deep.equal(['c/c0']);
  });

  it('do not exist while no job may run, or above the limits of the project and the bucket (F40)', () => {
    expect(setUp({ inAll: 0 }).reserve(job('a'))).to.deep.equal(['waiting']);
    const { reserve } = setUp({ inAll: 1, ofProject: (project) => (project === 'closed' ? 0 : 5) });
    expect(reserve(job('a'), job('b', { project: 'closed' }), job('c', { project: 'open' }))).to.deep.equal([
      'reserved',
      'waiting',
      'reserved',
    ]);
  });
});
