import { expect } from 'chai';
import { type CachedJob, toCachedJob } from '#api/limits/cached-job.ts';
import { createStorageLedger, type NewJob, type StorageLimits } from '#api/limits/storage-ledger.ts';
import { ANNOTATIONS } from '#crds/api-group.ts';
import { systemClock } from '#runtime/time/clock.ts';
import { aZipJob, NAMESPACE } from '#test/support/builders/objects.ts';

const ROOMY: StorageLimits = { storedJobs: 100, storedBytes: 1e6 };

function setUp(limits: Partial<StorageLimits> = {}) {
  const time = { now: 0 };
  const ledger = createStorageLedger({
    clock: { ...systemClock, monotonicMs: () => time.now },
    maxFileListBytes: 100,
  });
  function job(name: string, annotations: Record<string, string> = {}): CachedJob {
    const one = aZipJob();
    return toCachedJob({ ...one, metadata: { ...one.metadata, name, annotations } });
  }
  function set(name: string, annotations: Record<string, string> = {}) {
    const object = job(name, annotations);
    ledger.note({ kind: 'set', key: `${NAMESPACE}/${name}`, object, before: undefined });
  }
  function remove(name: string) {
    return ledger.note({ kind: 'deleted', key: `${NAMESPACE}/${name}`, before: job(name) });
  }
  function admit(name: string, size: Partial<NewJob> = {}) {
    return ledger.admit(
      { namespace: NAMESPACE, name, bytes: 1_000, fileListBytes: 0, ...size },
      { ...ROOMY, ...limits },
    )?.code;
  }
  function total() {
    return new Map(ledger.totals()).get(NAMESPACE);
  }
  return { ledger, time, set, remove, admit, total };
}

function listOf(count: number) {
  return { [ANNOTATIONS.fileListBytes]: String(count) };
}

describe('createStorageLedger', () => {
  it('counts a job once, although it is admitted and then observed', () => {
    const { admit, set, total } = setUp();
    expect(admit('a', { fileListBytes: 60 })).to.equal(undefined);
    expect(total()).to.deep.equal({ jobs: 1, bytes: 1_000, fileListBytes: 60 });
    set('a', listOf(60));
    set('a', listOf(60));
    expect(total()).to.include({ jobs: 1, fileListBytes: 60 });
  });

  it('counts the bytes of an object and of its file list', () => {
    const { set, total } = setUp();
    set('a');
    const { bytes = 0 } = total() ?? {};
    set('a', listOf(60));
    expect(total()?.bytes).to.equal(bytes + JSON.stringify(listOf(60)).length - '{}'.length + 60);
  });

  it('refuses one job more than a project may store, and admits it once another is deleted (N2)', () => {
    const { admit, set, remove } = setUp({ storedJobs: 2 });
    set('a');
    expect(admit('b')).to.equal(undefined);
    expect(admit('c')).to.equal('stored_jobs_full');
    remove('a');
    expect(admit('c')).to.equal(undefined);
  });

  it('refuses bytes above the limit, and lists above theirs, in one project only (N2)', () => {
    const { admit, ledger } = setUp({ storedBytes: 2_500 });
    expect(admit('a', { fileListBytes: 60 })).to.equal(undefined);
    expect(admit('b', { bytes: 1_501 })).to.equal('stored_bytes_full');
    expect(admit('b', { fileListBytes: 41 })).to.equal('file_lists_full');
    expect(admit('b', { bytes: 1_500, fileListBytes: 40 })).to.equal(undefined);
    const other = { namespace: 'team-b', name: 'b', bytes: 2_500, fileListBytes: 41 };
    expect(ledger.admit(other, ROOMY)).to.equal(undefined);
  });

  it('admits a job that is already counted', () => {
    const { admit, set } = setUp({ storedJobs: 1 });
    expect(admit('a')).to.equal(undefined);
    expect(admit('a')).to.equal(undefined);
    set('a');
    expect(admit('a')).to.equal(undefined);
  });

  it('releases deleted lists, deleted jobs and failed creates', () => {
    const { ledger, admit, set, remove, total } = setUp();
    set('a', listOf(60));
    set('a', { ...listOf(60), [ANNOTATIONS.fileListDeletedAt]: '2026-01-01T00:00:00Z' });
    expect(total()).to.include({ jobs: 1, fileListBytes: 0 });
    remove('a');
    admit('c');
    ledger.forget(NAMESPACE, 'c');
    expect([...ledger.totals()]).to.deep.equal([]);
  });

  it('keeps counting a job whose key a second, refused request uses (N2)', () => {
    const { ledger, admit } = setUp({ storedJobs: 1 });
    admit('a');
    admit('a');
    ledger.forget(NAMESPACE, 'a');
    expect(admit('b')).to.equal('stored_jobs_full');
    ledger.forget(NAMESPACE, 'a');
    expect(admit('b')).to.equal(undefined);
  });

  it('forgets a created job that the watch never reports', () => {
    const { admit, time } = setUp({ storedJobs: 1 });
    admit('a');
    time.now = 60_000;
    expect(admit('b')).to.equal(undefined);
  });

  it('ignores an annotation that is not a size', () => {
    const { set, total } = setUp();
    for (const text of ['-5', 'x', '1e999', '0.5']) set(text, { [ANNOTATIONS.fileListBytes]: text });
    expect(total()).to.include({ jobs: 4, fileListBytes: 0 });
  });
});
