import { expect } from 'chai';
import { createMemory } from '#controller/zip-job/memory.ts';
import { aZipJob, NAME, NAMESPACE } from '#test/support/builders/objects.ts';
import { progressOf } from '#test/support/builders/zip-job-statuses.ts';

const KEY = `${NAMESPACE}/${NAME}`;

function version(resourceVersion: string, uid = 'uid-zipjob') {
  return aZipJob({ metadata: { resourceVersion, uid } });
}

describe('createMemory', () => {
  it('prefers the written object to a stale cache, even if the version has one digit more (K7)', () => {
    const memory = createMemory(() => version('1'));
    memory.keep(KEY, version('100'));
    expect(memory.newest(version('99'))).to.deep.equal(version('100'));
  });

  it('returns the cached object once the cache has caught up, and drops its own', () => {
    const memory = createMemory(() => version('1'));
    memory.keep(KEY, version('100'));
    expect(memory.newest(version('101'))).to.deep.equal(version('101'));
    expect(memory.newest(version('99')), 'a question changes nothing').to.deep.equal(version('100'));
    memory.see({ kind: 'set', key: KEY, object: version('99'), before: undefined });
    expect(memory.newest(version('98'))).to.deep.equal(version('100'));
    memory.see({ kind: 'set', key: KEY, object: version('100'), before: undefined });
    expect(memory.newest(version('98'))).to.deep.equal(version('98'));
  });

  it('keeps nothing if the cache received the object before the response arrived', () => {
    const memory = createMemory(() => version('100'));
    memory.keep(KEY, version('100'));
    expect(memory.newest(version('98'))).to.deep.equal(version('98'));
  });

  it('knows when progress arrived, whatever its own time is (F18)', () => {
    const memory = createMemory(() => undefined);
    function at(second: number) {
      return new Date(second * 1000);
    }
    function withProgress(filesDone: number) {
      return aZipJob({ status: { phase: 'Running', progress: progressOf('uid-p1', filesDone) } });
    }
    expect(memory.seeProgress(withProgress(1), at(1), false))
      .to.include({ isNew: false })
      .and.deep.include({ since: at(1) });
    expect(memory.seeProgress(withProgress(1), at(5), false)).to.deep.include({ since: at(1) });
    expect(memory.seeProgress(withProgress(2), at(9), false)).to.deep.include({ since: at(9), isNew: true });
    memory.see({
      kind: 'set',
      key: KEY,
      object: aZipJob({ status: { phase: 'Failed' } }),
      before: undefined,
    });
    expect(memory.seeProgress(withProgress(2), at(11), false), 'dropped at the end').to.include({
      isNew: false,
    });
  });

  it('knows since when every write was far too slow (F40)', () => {
    const memory = createMemory(() => undefined);
    const seen = [false, true, true, false, true].map((isLate, n) => {
      const progress = progressOf('uid-p1', n);
      const zipJob = aZipJob({ status: { phase: 'Running', progress } });
      return memory.seeProgress(zipJob, new Date(n * 1000), isLate).lateSince?.getTime();
    });
    expect(seen).to.deep.equal([undefined, 1000, 1000, undefined, 4000]);
  });

  it('knows when a refused ZipCheckpoint is tried again, until the job ends', () => {
    const memory = createMemory(() => undefined);
    memory.refusedCheckpoint(KEY, new Date(1000));
    expect(memory.checkpointRetryAt(KEY)).to.deep.equal(new Date(1000));
    for (const phase of ['Running', 'Failed'] as const)
      memory.see({ kind: 'set', key: KEY, object: aZipJob({ status: { phase } }), before: undefined });
    expect(memory.checkpointRetryAt(KEY)).to.equal(undefined);
  });

  it('distinguishes objects of the same name by uid', () => {
    const memory = createMemory(() => version('1'));
    memory.keep(KEY, version('100', 'uid-of-another'));
    expect(memory.newest(version('99'))).to.deep.equal(version('99'));
  });
});
