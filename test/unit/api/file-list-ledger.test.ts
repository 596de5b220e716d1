import { expect } from 'chai';
import { type CachedJob, toCachedJob } from '#api/cached-job.ts';
import { createFileListLedger } from '#api/file-list-ledger.ts';
import { ANNOTATIONS } from '#crds/api-group.ts';
import { systemClock } from '#runtime/clock.ts';
import { aZipJob, NAMESPACE } from '#test/support/builders/objects.ts';

const setUp = () => {
  const time = { now: 0 };
  const ledger = createFileListLedger({
    clock: { ...systemClock, monotonicMs: () => time.now },
    maxBytes: 100,
  });
  const job = (name: string, annotations: Record<string, string>): CachedJob => {
    const one = aZipJob();
    return toCachedJob({ ...one, metadata: { ...one.metadata, name, annotations } });
  };
  const set = (name: string, annotations: Record<string, string>) => {
    const object = job(name, annotations);
    ledger.note({ kind: 'set', key: `${NAMESPACE}/${name}`, object, before: undefined });
  };
  const total = () => new Map(ledger.totals()).get(NAMESPACE) ?? 0;
  return { ledger, time, job, set, total };
};
const bytes = (count: number) => ({ [ANNOTATIONS.fileListBytes]: String(count) });

describe('createFileListLedger', () => {
  it('counts a list once, although it is admitted and then observed', () => {
    const { ledger, set, total } = setUp();
    ledger.admit(NAMESPACE, 'a', 60);
    expect(total()).to.equal(60);
    set('a', bytes(60));
    set('a', bytes(60));
    expect(total()).to.equal(60);
  });

  it('refuses a list above the limit of its project and does not affect other projects', () => {
    const { ledger } = setUp();
    ledger.admit(NAMESPACE, 'a', 60);
    expect(() => ledger.admit(NAMESPACE, 'b', 41))
      .to.throw()
      .that.includes({ status: 429 });
    ledger.admit(NAMESPACE, 'b', 40);
    ledger.admit('team-b', 'b', 41);
  });

  it('admits a job that is already counted', () => {
    const { ledger, set } = setUp();
    ledger.admit(NAMESPACE, 'a', 100);
    ledger.admit(NAMESPACE, 'a', 100);
    set('a', bytes(100));
    ledger.admit(NAMESPACE, 'a', 100);
  });

  it('releases the bytes of deleted lists, deleted jobs and failed creates', () => {
    const { ledger, set, job, total } = setUp();
    set('a', bytes(60));
    set('a', { ...bytes(60), [ANNOTATIONS.fileListDeletedAt]: '2026-01-01T00:00:00Z' });
    expect(total()).to.equal(0);
    set('b', bytes(60));
    ledger.note({ kind: 'deleted', key: `${NAMESPACE}/b`, before: job('b', bytes(60)) });
    ledger.admit(NAMESPACE, 'c', 60);
    ledger.forget(NAMESPACE, 'c');
    expect(total()).to.equal(0);
    expect([...ledger.totals()]).to.deep.equal([]);
  });

  it('forgets a created job that the watch never reports', () => {
    const { ledger, time } = setUp();
    ledger.admit(NAMESPACE, 'a', 100);
    time.now = 60_000;
    ledger.admit(NAMESPACE, 'b', 100);
  });

  it('ignores an annotation that is not a size', () => {
    const { set, total } = setUp();
    for (const text of ['-5', 'x', '1e999', '0.5']) set(text, { [ANNOTATIONS.fileListBytes]: text });
    expect(total()).to.equal(0);
  });
});
