import { expect } from 'chai';
import { keptFor } from '#dashboard/overview/kept-figures.ts';
import { NOW } from '#test/support/builders/objects.ts';

describe('keptFor', () => {
  function at(ms: number): Date {
    return new Date(NOW.getTime() + ms);
  }

  it('computes once per key within the maximum age', () => {
    const computed: string[] = [];
    const figures = keptFor(2_000, (key) => computed.push(key));
    for (const key of ['a', 'a', 'b', 'a']) figures(key, at(0));
    expect(computed).to.deep.equal(['a', 'b']);
    figures('a', at(1_999));
    figures('a', at(2_000));
    expect(computed).to.deep.equal(['a', 'b', 'a']);
  });

  it('keeps a failure that took time from its end', async () => {
    let computed = 0;
    let monotonicMs = 0;
    async function compute(_key: string, _now: Date, keepOnly: (ms: number) => void): Promise<void> {
      computed += 1;
      await Promise.resolve();
      monotonicMs += 3_000;
      keepOnly(1_000);
    }
    const figures = keptFor(60_000, compute, { monotonicMs: () => monotonicMs });
    await figures('a', at(0));
    await figures('a', at(3_999));
    expect(computed).to.equal(1);
    await figures('a', at(4_000));
    expect(computed).to.equal(2);
  });

  it('computes again when the clock was set back', () => {
    let computed = 0;
    const figures = keptFor(2_000, () => {
      computed += 1;
    });
    figures('a', at(0));
    figures('a', at(-60_000));
    expect(computed).to.equal(2);
  });
});
