import { expect } from 'chai';
import { keptFor } from '#dashboard/pages/kept-figures.ts';
import { NOW } from '#test/support/builders/objects.ts';

describe('keptFor', () => {
  const at = (ms: number): Date => new Date(NOW.getTime() + ms);

  it('computes once per key within the maximum age', () => {
    const computed: string[] = [];
    const figures = keptFor(2_000, (key) => computed.push(key));
    for (const key of ['a', 'a', 'b', 'a']) figures(key, at(0));
    expect(computed).to.deep.equal(['a', 'b']);
    figures('a', at(1_999));
    figures('a', at(2_000));
    expect(computed).to.deep.equal(['a', 'b', 'a']);
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
