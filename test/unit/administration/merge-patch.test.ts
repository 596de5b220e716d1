import { expect } from 'chai';
import { mergePatchOf } from '#administration/merge-patch.ts';

describe('mergePatchOf', () => {
  it('has only what changes, and null for what is removed', () => {
    const before = { a: 1, b: 2, deep: { x: 1, y: 2, z: 3 }, list: [1] };
    const after = { a: 1, deep: { x: 1, y: 4 }, list: [1, 2], fresh: { v: 1 } };
    expect(mergePatchOf(before, after)).to.deep.equal({
      b: null,
      deep: { y: 4, z: null },
      list: [1, 2],
      fresh: { v: 1 },
    });
  });

  it('is undefined for equal objects', () => {
    expect(mergePatchOf({ a: { b: [1] } }, { a: { b: [1] } })).to.equal(undefined);
  });
});
