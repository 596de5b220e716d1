import { expect } from 'chai';
import { mergePatchOf } from '#administration/changes/change-spec.ts';

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

  it('keeps a name that is also a property of every object', () => {
    const tags = JSON.parse('{"__proto__":"a","constructor":"b"}') as object;
    const patch = mergePatchOf({ tags: { team: 'x' } }, { tags });
    expect(JSON.stringify(patch)).to.equal('{"tags":{"team":null,"__proto__":"a","constructor":"b"}}');
    expect(JSON.stringify(mergePatchOf({ tags }, { tags: {} }))).to.equal(
      '{"tags":{"__proto__":null,"constructor":null}}',
    );
  });

  it('is undefined for equal objects', () => {
    expect(mergePatchOf({ a: { b: [1] } }, { a: { b: [1] } })).to.equal(undefined);
  });
});
