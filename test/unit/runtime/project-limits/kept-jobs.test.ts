import { expect } from 'chai';
import { KEPT_LIMITS } from '#runtime/kube/cache/cache-limits.ts';
import { keptJobs } from '#runtime/project-limits/kept-jobs.ts';

describe('what a cache keeps of the jobs of a namespace', () => {
  it('is a little more than the class of its project allows, and never less than of other kinds (N36)', () => {
    expect(keptJobs({ storedJobs: 40_000, storedBytes: 500_000_000 })).to.deep.equal({
      objects: 44_000,
      bytes: 550_000_000,
    });
    expect(keptJobs({ storedJobs: 1, storedBytes: 1 })).to.deep.equal(KEPT_LIMITS);
    expect(keptJobs({})).to.deep.equal(KEPT_LIMITS);
    expect(keptJobs(undefined)).to.deep.equal(KEPT_LIMITS);
  });
});
