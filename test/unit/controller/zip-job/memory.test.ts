import { expect } from 'chai';
import { createMemory } from '#controller/zip-job/memory.ts';
import { aZipJob, NAME, NAMESPACE } from '#test/support/builders/objects.ts';

const KEY = `${NAMESPACE}/${NAME}`;
const version = (resourceVersion: string, uid = 'uid-zipjob') =>
  aZipJob({ metadata: { resourceVersion, uid } });

describe('createMemory', () => {
  it('prefers what was written to a cache that is behind, also across a digit more (K7)', () => {
    const memory = createMemory(() => version('1'));
    memory.keep(KEY, version('100'));
    expect(memory.newest(version('99'))).to.deep.equal(version('100'));
  });

  it('believes a cache that has caught up, and then keeps nothing', () => {
    const memory = createMemory(() => version('1'));
    memory.keep(KEY, version('100'));
    expect(memory.newest(version('101'))).to.deep.equal(version('101'));
    expect(memory.newest(version('99')), 'a question changes nothing').to.deep.equal(version('100'));
    memory.see({ kind: 'set', key: KEY, object: version('99'), before: undefined });
    expect(memory.newest(version('98'))).to.deep.equal(version('100'));
    memory.see({ kind: 'set', key: KEY, object: version('100'), before: undefined });
    expect(memory.newest(version('98'))).to.deep.equal(version('98'));
  });

  it('keeps nothing that the cache had before the response came', () => {
    const memory = createMemory(() => version('100'));
    memory.keep(KEY, version('100'));
    expect(memory.newest(version('98'))).to.deep.equal(version('98'));
  });

  it('never takes an object for another of the same name', () => {
    const memory = createMemory(() => version('1'));
    memory.keep(KEY, version('100', 'uid-of-another'));
    expect(memory.newest(version('99'))).to.deep.equal(version('99'));
  });
});
