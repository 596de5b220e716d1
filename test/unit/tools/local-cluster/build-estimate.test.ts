import { expect } from 'chai';
import {
  type BuildCosts,
  costOf,
  createProgress,
  estimateSeconds,
  roughly,
} from '#tools/local-cluster/build-estimate.ts';

const COSTS: BuildCosts = {
  cpuSeconds: 100,
  serialSeconds: 20,
  linkSeconds: 4,
  otherPackageSeconds: 1,
  packages: { large: 5 },
};

describe('estimateSeconds', () => {
  const tables = [
    { name: 'equals the processor time on one core', cores: 1, slowness: 1, want: 100 },
    { name: 'divides the parallel part by the number of cores', cores: 4, slowness: 1, want: 40 },
    { name: 'is never below the serial part', cores: 1_000_000, slowness: 1, want: 20 },
    { name: 'grows with the slowness of a core', cores: 4, slowness: 2.5, want: 100 },
  ];
  for (const { name, cores, slowness, want } of tables)
    it(name, () => {
      expect(estimateSeconds(COSTS, { cores, slowness })).to.be.closeTo(want, 0.001);
    });

  it('counts little work once, even if it is serial', () => {
    expect(estimateSeconds({ ...COSTS, cpuSeconds: 6 }, { cores: 2, slowness: 1 })).to.equal(6);
  });
});

describe('costOf', () => {
  it('adds up packages and linking, and uses the average for unknown packages', () => {
    expect(costOf(COSTS, ['large', 'small', 'smaller'])).to.equal(11);
  });
});

describe('createProgress', () => {
  const packages = ['a', 'b', 'large', 'c', 'd', 'e', 'f'];

  it('returns the estimate before the first package', () => {
    expect(createProgress(COSTS, packages).secondsLeft(3, 60)).to.equal(60);
  });

  it('weighs packages by their cost', () => {
    const progress = createProgress(COSTS, packages);
    progress.begin('a');
    progress.begin('large');
    // 6 of 15: observed 50 s in total, weighted with four fifths.
    expect(progress.secondsLeft(20, 100)).to.be.closeTo(0.6 * (0.8 * 50 + 0.2 * 100), 0.001);
    expect(progress).to.include({ packagesStarted: 2, packagesToCompile: 7 });
  });

  it('uses only observed times after half of the work', () => {
    const progress = createProgress(COSTS, packages);
    for (const name of ['a', 'large', 'b', 'c']) progress.begin(name);
    expect(progress.secondsLeft(80, 1)).to.be.closeTo(70, 0.001);
  });

  it('includes the time for linking until the end', () => {
    const progress = createProgress(COSTS, packages);
    packages.forEach((name) => progress.begin(name));
    expect(progress.secondsLeft(22, 1)).to.be.closeTo(8, 0.001);
  });

  it('ignores an unexpected and a repeated package', () => {
    const progress = createProgress(COSTS, ['a', 'large']);
    for (const name of ['unexpected', 'a', 'a']) progress.begin(name);
    expect(progress.secondsLeft(1, 10)).to.be.closeTo(0.9 * (0.2 * 10 + 0.8 * 10), 0.001);
  });
});

describe('roughly', () => {
  const tables: readonly [number, string][] = [
    [0, '5 s'],
    [12, '10 s'],
    [43, '45 s'],
    [89, '90 s'],
    [100, '2 min'],
    [3_590, '1 h'],
    [4_200, '1 h 10 min'],
  ];
  for (const [seconds, want] of tables)
    it(`formats ${seconds} seconds as ${want}`, () => {
      expect(roughly(seconds)).to.equal(want);
    });
});
