/** Which uploads a recovery aborts. */
import { setTimeout as delay } from 'node:timers/promises';
import { expect } from 'chai';
import type { RecoveryTask } from '#crds/zipper-task.ts';
import { createLogger } from '#runtime/log/log.ts';
import { type HostileStore, startHostileStore } from '#test/support/servers/hostile-store.ts';
import { until } from '#test/support/until.ts';
import type { Store } from '#zipper-image/store/store.ts';
import { createUploadsLeft } from '#zipper-image/store/uploads-left.ts';
import { recover } from '#zipper-image/tasks/recover.ts';
import { denied, openStore, RECOVERY, recoverySettings as settings } from './recovery-harness.ts';

const log = createLogger('test', { level: 'silent' });
const SECOND = 1000;

/** As the controller writes it: a time of whole seconds, and its age. */
function endOf(atMs: number, writtenMs: number) {
  const endedMs = Math.floor(atMs / SECOND) * SECOND;
  return { endedAt: new Date(endedMs).toISOString(), endedAgeSeconds: (writtenMs - endedMs) / SECOND };
}

describe('the sweep of a recovery', () => {
  let hostile: HostileStore;
  let store: Store;
  let left = createUploadsLeft();
  let created: Date;

  beforeEach(async () => {
    left = createUploadsLeft();
    created = new Date(Date.now() - 60 * SECOND);
    hostile = await startHostileStore();
    store = openStore(hostile);
  });
  afterEach(async () => {
    store.close();
    await hostile[Symbol.asyncDispose]();
  });

  /** How long ago the attempt ended, the task was written, and this process started. `nodeBehindMs`: error of the node's clock. */
  interface Times {
    readonly endedAgoMs?: number;
    readonly writtenAgoMs?: number;
    readonly startedAgoMs?: number;
    readonly nodeBehindMs?: number;
  }
  function sweep({
    writtenAgoMs = 0,
    endedAgoMs = writtenAgoMs,
    startedAgoMs = writtenAgoMs,
    nodeBehindMs = 0,
    stopping = new AbortController().signal,
    ...change
  }: Times & { stopping?: AbortSignal; uploadId?: string } & Pick<RecoveryTask, 'sharedTarget'> = {}) {
    const now = Date.now() + nodeBehindMs;
    return recover({
      task: {
        ...RECOVERY,
        since: new Date(created.getTime() + nodeBehindMs).toISOString(),
        ...endOf(now - endedAgoMs, now - writtenAgoMs),
        ...(change.uploadId === undefined ? { uploadState: 'unrecorded' } : { uploadState: 'open' }),
        ...change,
      } as RecoveryTask,
      store,
      settings,
      log,
      stopping,
      onAbortFailed: left.abortFailed,
      onCompleteSent: left.completeSent,
      startedMs: performance.now() - startedAgoMs,
    });
  }
  /** An upload that was started that long ago by the clock of the store. */
  async function startUpload({
    key = 'a.zip',
    agoMs = 30 * SECOND,
    ...change
  }: {
    key?: string;
    agoMs?: number;
    initiator?: string;
  } = {}): Promise<string> {
    const id = await store.createUpload(key, 'pod-1');
    const initiated = new Date(Date.now() + hostile.clockAheadMs - agoMs);
    Object.assign(hostile.uploads.get(id) ?? {}, { initiated, ...change });
    return id;
  }

  for (const [when, times] of [
    ['wakes up late', {}],
    ['waited long for its node', { startedAgoMs: 0 }],
    ['runs on a node whose clock is behind', { nodeBehindMs: 8 * SECOND }],
  ] as const)
    it(`never aborts an upload that the next attempt started, when the recovery pod ${when} (F37)`, async () => {
      const next = await startUpload({ agoMs: 5 * SECOND });
      const of = { endedAgoMs: 40 * SECOND, writtenAgoMs: 10 * SECOND, ...times };
      expect(await sweep(of)).to.deep.equal({ outcome: 'absent' });
      const uploadId = await startUpload({ agoMs: 0 });
      expect(await sweep({ ...of, uploadId })).to.deep.equal({ outcome: 'absent' });
      expect([...hostile.uploads.keys()]).to.deep.equal([next]);
    });

  for (const hours of [1, -1])
    it(`compares with the clock of the store, which is ${hours} h ahead (F37)`, async () => {
      hostile.clockAheadMs = hours * 3_600_000;
      const uploadId = await startUpload({ agoMs: 0 });
      await startUpload();
      const next = await startUpload({ agoMs: 5 * SECOND });
      expect(await sweep({ uploadId, writtenAgoMs: 10 * SECOND })).to.deep.equal({ outcome: 'absent' });
      expect([...hostile.uploads.keys()]).to.deep.equal([next]);
    });

  it('aborts only the recorded upload where a job of another namespace may write the same object (F43)', async () => {
    const other = await startUpload();
    const uploadId = await startUpload({ agoMs: 0 });
    expect(await sweep({ uploadId, sharedTarget: true })).to.deep.equal({ outcome: 'absent' });
    expect([...hostile.uploads.keys()]).to.deep.equal([other]);
    expect(left.reported()).to.deep.equal({ abortFailures: 1 });
  });

  it('aborts nothing but its marker upload where a job of another namespace may write the same object (F43)', async () => {
    const other = await startUpload();
    expect(await sweep({ sharedTarget: true })).to.deep.equal({ outcome: 'absent' });
    expect([...hostile.uploads.keys()]).to.deep.equal([other]);
    expect(left.reported()).to.deep.equal({ abortFailures: 1 });
  });

  it('aborts the unrecorded upload of the attempt, and its own marker upload (H8)', async () => {
    await startUpload();
    expect(await sweep()).to.deep.equal({ outcome: 'absent' });
    expect(hostile.uploads.size).to.equal(0);
    expect(left.reported()).to.deep.equal({});
  });

  for (const state of ['unrecorded', 'open'] as const)
    it(`aborts the marker of a recovery pod that was killed, when the upload is ${state} (H8)`, async () => {
      const killed = await startUpload({ agoMs: 11 * SECOND });
      const uploadId = await startUpload();
      // The attempt, or the killed pod, aborted it.
      hostile.uploads.delete(uploadId);
      const ended = { endedAgoMs: 25 * SECOND };
      expect([...hostile.uploads.keys()]).to.deep.equal([killed]);
      expect(await sweep(state === 'open' ? { ...ended, uploadId } : ended)).to.deep.equal({
        outcome: 'absent',
      });
      expect([hostile.uploads.size, left.reported()]).to.deep.equal([0, {}]);
    });

  it('aborts an upload that the attempt started in its last moment (H8)', async () => {
    for (const ms of [100, 900]) {
      await delay((ms - (Date.now() % SECOND) + SECOND) % SECOND);
      await startUpload({ agoMs: 10 });
      await sweep();
      expect(hostile.uploads.size, `at ${ms} ms`).to.equal(0);
    }
  });

  it('does not abort uploads of other jobs', async () => {
    const ids = [
      await startUpload({ key: 'a.zip.2' }),
      await startUpload({ agoMs: 65 * SECOND }),
      await startUpload({ initiator: 'them' }),
    ];
    expect(await sweep()).to.deep.equal({ outcome: 'absent' });
    expect([...hostile.uploads.keys()]).to.have.members(ids);
  });

  for (const operation of ['listUploads', 'listParts', 'abort', 'create'] as const)
    it(`reports absent and counts a failure if ${operation} is denied (U11)`, async () => {
      await startUpload();
      hostile.fault = (request) => (request.operation === operation ? denied : undefined);
      expect(await sweep()).to.deep.equal({ outcome: 'absent' });
      expect(left.reported().abortFailures).to.be.greaterThan(0);
    });

  it('waits for a listing that does not show its marker upload yet (F27)', async () => {
    await startUpload();
    hostile.delays = { listUploads: settings.storeConsistencyMs / 2 };
    expect(await sweep()).to.deep.equal({ outcome: 'absent' });
    expect([hostile.uploads.size, left.reported()]).to.deep.equal([0, {}]);
  });

  it('counts nothing if the bucket does not exist', async () => {
    hostile.fault = () => ({ kind: 'response', status: 404, code: 'NoSuchBucket' });
    expect(await sweep()).to.deep.equal({ outcome: 'absent' });
    expect(left.reported()).to.deep.equal({});
  });

  for (const operation of ['listUploads', 'abort'] as const)
    for (const state of ['unrecorded', 'open'] as const)
      it(`reports no outcome if the store is away since its marker upload, at ${operation}, when the upload is ${state}, so that the next recovery pod aborts the marker (H8)`, async () => {
        const uploadId = await startUpload();
        hostile.uploads.delete(uploadId);
        const of = state === 'open' ? { uploadId } : {};
        hostile.fault = (request) => {
          const isAway = hostile.uploads.size > 0 && request.operation === operation;
          return isAway ? { kind: 'response', status: 503, code: 'SlowDown' } : undefined;
        };
        expect(await sweep(of).catch((thrown: unknown) => thrown)).to.include({ code: 'StoreUnavailable' });
        hostile.fault = () => undefined;
        expect(await sweep(of)).to.deep.equal({ outcome: 'absent' });
        expect(hostile.uploads.size).to.equal(0);
      });

  it('reports no outcome while the store fails', async () => {
    hostile.fault = () => ({ kind: 'response', status: 500, code: 'InternalError' });
    expect(await sweep().catch((thrown: unknown) => thrown)).to.include({ code: 'StoreUnavailable' });
  });

  for (const operation of ['create', 'listUploads'] as const)
    it(`aborts its marker upload if it is stopped during ${operation} (H8)`, async () => {
      const stop = new AbortController();
      const gate = Promise.withResolvers<void>();
      hostile.fault = (request) => {
        if (request.operation !== operation || request.nth > 1) return undefined;
        stop.abort(new Error('stopped'));
        return { kind: 'hold', until: gate.promise };
      };
      // Only a recovery that has listed the uploads reports an outcome.
      const end = sweep({ stopping: stop.signal }).catch(() => undefined);
      await until('the request to reach the store', () =>
        hostile.requests.some((request) => request.operation === operation),
      );
      gate.resolve();
      await end;
      expect(hostile.requests.filter((request) => request.operation === 'create')).to.have.length(1);
      expect(hostile.uploads.size).to.equal(0);
    });

  for (const state of ['unrecorded', 'open'] as const)
    it(`reports no outcome if a start of its marker upload got no response, when the upload is ${state}, so that the next recovery pod aborts that one too (H8)`, async () => {
      const uploadId = await startUpload();
      hostile.uploads.delete(uploadId);
      const of = state === 'open' ? { uploadId } : {};
      hostile.fault = ({ operation, nth }) =>
        operation === 'create' && nth === 2 ? { kind: 'drop', when: 'after' } : undefined;
      const first = sweep({ ...of, writtenAgoMs: 5 * SECOND });
      expect(await first.catch((thrown: unknown) => thrown)).to.include({ code: 'StoreUnavailable' });
      expect(hostile.uploads.size).to.equal(1);
      expect(await sweep(of)).to.deep.equal({ outcome: 'absent' });
      expect(hostile.uploads.size).to.equal(0);
    });
});
