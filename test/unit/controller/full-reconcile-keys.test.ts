import { expect } from 'chai';
import { createFullReconcileKeys } from '#controller/wiring/leading.ts';

describe('createFullReconcileKeys', () => {
  const COUNT = 40_000;
  const waiting = Array.from({ length: COUNT }, (_, n) => `a/zip-${(n * 2_654_435_761) % 2 ** 32}`);
  const others = ['b/runs', 'b/ends'];

  it('has every job that does not wait, and each waiting one in one of a number of times (G4)', () => {
    const all = new Set(waiting);
    const keys = createFullReconcileKeys(
      () => [...others, ...waiting],
      (key) => all.has(key),
    );
    expect([...keys()], 'before the number is known').to.have.lengthOf(COUNT + others.length);
    const seen = new Map<string, number>();
    for (let times = 0; times < COUNT / 5000; times += 1) {
      const found = [...keys()];
      expect(found.slice(0, 2)).to.deep.equal(others);
      expect(found.length).to.be.within(2500, 10_000);
      for (const key of found.slice(2)) seen.set(key, (seen.get(key) ?? 0) + 1);
    }
    expect(seen.size).to.equal(COUNT);
    expect(Math.max(...seen.values())).to.equal(1);
  });

  it('has all jobs if few wait (G4)', () => {
    const keys = createFullReconcileKeys(
      () => [...others, ...waiting.slice(0, 5000)],
      (key) => key.startsWith('a/'),
    );
    for (let times = 0; times < 3; times += 1) expect([...keys()]).to.have.lengthOf(5002);
  });
});
