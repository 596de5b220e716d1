import { expect } from 'chai';
import { createMemory } from '#controller/zip-job/memory.ts';
import { aZipJob, NAME, NAMESPACE } from '#test/support/builders/objects.ts';

const KEY = `${NAMESPACE}/${NAME}`;
const version = (resourceVersion: string, uid = 'uid-zipjob') =>
  aZipJob({ metadata: { resourceVersion, uid } });

describe('createMemory', () => {
  it('prefers what was written to a cache that is behind, also across a digit more (K7)', () => {
    const memory = createMemory();
    memory.keep(KEY, version('100'));
    expect(memory.newest(KEY, version('99'))).to.deep.equal(version('100'));
  });

  it('believes a cache that has caught up, from then on', () => {
    const memory = createMemory();
    memory.keep(KEY, version('100'));
    expect(memory.newest(KEY, version('101'))).to.deep.equal(version('101'));
    expect(memory.newest(KEY, version('99'))).to.deep.equal(version('99'));
  });

  it('never takes an object for another of the same name', () => {
    const memory = createMemory();
    memory.keep(KEY, version('100', 'uid-of-another'));
    expect(memory.newest(KEY, version('99'))).to.deep.equal(version('99'));
  });
});
