import { expect } from 'chai';
import { createFairCapacity, createFairPlaces, type FairCapacity } from '#runtime/fair/fair-capacity.ts';

/** Opens a share for each unit until one is refused, and returns how many were granted. */
function fill(capacity: FairCapacity, holder: string): number {
  for (let count = 0; ; count += 1) if (!capacity.open(holder).grow(1)) return count;
}

describe('createFairCapacity', () => {
  it('gives one holder at most half, and always leaves something for the next (N7)', () => {
    const capacity = createFairCapacity(120);
    expect(fill(capacity, 'a')).to.equal(60);
    expect(fill(capacity, 'b')).to.equal(30);
    expect(fill(capacity, 'c')).to.equal(15);
    expect(capacity.used()).to.equal(105);
  });

  it('shares equally among holders that grow together', () => {
    const capacity = createFairCapacity(120);
    const holders = ['a', 'b', 'c'].map((name) => capacity.open(name));
    const grown = holders.map(() => 0);
    for (let round = 0; round < 120; round += 1)
      for (const [index, holder] of holders.entries())
        if (holder.grow(1)) grown[index] = (grown[index] ?? 0) + 1;
    expect(grown).to.deep.equal([30, 30, 30]);
  });

  it('lets a request that is alone grow without limit, but no second one', () => {
    const capacity = createFairCapacity(10);
    const alone = capacity.open('a');
    expect(alone.grow(8)).to.equal(true);
    expect(alone.grow(8)).to.equal(true);
    expect(capacity.open('a').grow(1)).to.equal(false);
    expect(capacity.open('b').grow(1)).to.equal(false);
  });

  it('returns what a disposed share used, once', () => {
    const capacity = createFairCapacity(10);
    const first = capacity.open('a');
    const second = capacity.open('a');
    first.grow(3);
    second.grow(2);
    first[Symbol.dispose]();
    first[Symbol.dispose]();
    expect(capacity.used()).to.equal(2);
    expect(second.grow(3)).to.equal(true);
  });

  it('reports whether a refused holder uses its own part, or others use too much (N7)', () => {
    const capacity = createFairCapacity(12);
    expect(fill(capacity, 'a')).to.equal(6);
    const [another, first] = [capacity.open('a'), capacity.open('b')];
    expect([another.grow(1), another.exceedsPart(1)]).to.deep.equal([false, true]);
    expect([first.grow(4), first.exceedsPart(4)], 'a first request').to.deep.equal([false, false]);
    expect(first.grow(1)).to.equal(true);
    const second = capacity.open('b');
    expect([second.grow(3), second.exceedsPart(3)], 'below a third').to.deep.equal([false, false]);
    expect([second.grow(4), second.exceedsPart(4)], 'above a third').to.deep.equal([false, true]);
  });

  it('gives nothing to a disposed share, which nobody would return (N7)', () => {
    const capacity = createFairCapacity(10);
    const share = capacity.open('a');
    share.grow(3);
    share[Symbol.dispose]();
    expect(share.grow(2)).to.equal(false);
    share.shrink(1);
    expect(capacity.used()).to.equal(0);
  });

  it('gives every one of a number of places, at most half of them, rounded up, to one holder (N7)', () => {
    for (const [places, most] of [
      [1, 1],
      [2, 1],
      [3, 2],
      [4, 2],
      [6, 3],
    ] as const) {
      const capacity = createFairPlaces(places);
      expect(fill(capacity, 'first'), `${places} places`).to.equal(most);
      for (let n = 0; n < 10; n += 1) fill(capacity, `holder ${n}`);
      expect(capacity.used()).to.equal(places);
    }
  });
});
