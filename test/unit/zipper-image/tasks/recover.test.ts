import { expect } from 'chai';
import type { RecoveryTask } from '#crds/zipper-task.ts';
import { createLogger } from '#runtime/log/log.ts';
import { type HostileStore, startHostileStore } from '#test/support/servers/hostile-store.ts';
import { toFailure } from '#zipper-image/status/failure.ts';
import type { Store } from '#zipper-image/store/store.ts';
import { createUploadsLeft } from '#zipper-image/store/uploads-left.ts';
import { checkBucket } from '#zipper-image/tasks/check-bucket.ts';
import { recover } from '#zipper-image/tasks/recover.ts';
import { denied, openStore, RECOVERY, recoverySettings as settings } from './recovery-harness.ts';

const log = createLogger('test', { level: 'silent' });
const TASK = { ...RECOVERY, endedAgeSeconds: 0 } as const;
interface RecoveredState {
  readonly uploadState: 'open' | 'committing';
  readonly uploadId: string;
  readonly endedAgeSeconds?: number;
}

describe('recover and checkBucket', () => {
  let hostile: HostileStore;
  let store: Store;

  beforeEach(async () => {
    hostile = await startHostileStore();
    store = openStore(hostile);
  });
  afterEach(async () => {
    store.close();
    await hostile[Symbol.asyncDispose]();
  });

  function publish(attempt: string): void {
    hostile.objects.set('a.zip', {
      body: Buffer.alloc(9),
      metadata: { 'zip-attempt': attempt },
      etag: '"e-1"',
    });
  }

  describe('recover', () => {
    const created = new Date(Date.now() - 60_000);
    let left = createUploadsLeft();
    beforeEach(() => {
      left = createUploadsLeft();
    });
    function recoverAs(state: RecoveredState, recoveryLimitMs = settings.recoveryLimitMs) {
      const times = { since: created.toISOString(), endedAt: new Date().toISOString() };
      const task = { ...TASK, ...times, ...state } as RecoveryTask;
      const stopping = new AbortController().signal;
      return recover({
        task,
        store,
        settings: { ...settings, recoveryLimitMs },
        log,
        stopping,
        onAbortFailed: left.abortFailed,
        onCompleteSent: left.completeSent,
        startedMs: performance.now(),
      });
    }
    async function run(uploadState: 'open' | 'committing', recoveryLimitMs?: number) {
      return recoverAs(
        { uploadState, uploadId: await store.createUpload('a.zip', 'pod-1') },
        recoveryLimitMs,
      );
    }

    it('aborts an open upload and reports absent without a HEAD', async () => {
      expect(await run('open')).to.deep.equal({ outcome: 'absent' });
      expect(hostile.uploads.size).to.equal(0);
      expect(hostile.requests.some(({ operation }) => operation === 'head')).to.equal(false);
    });

    it('reports published with size and ETag if the object has the metadata of the attempt (F11)', async () => {
      publish('pod-1');
      expect(await run('committing')).to.deep.equal({ outcome: 'published', bytes: 9, etag: 'e-1' });
    });

    it('reports absent if the object belongs to another attempt or does not exist', async () => {
      expect(await run('committing')).to.deep.equal({ outcome: 'absent' });
      publish('pod-0');
      expect(await run('committing')).to.deep.equal({ outcome: 'absent' });
    });

    it('checks the object after any response to the abort', async () => {
      publish('pod-1');
      for (const fault of [denied, { kind: 'response', status: 404, code: 'NoSuchUpload' }] as const) {
        hostile.fault = ({ operation }) => (operation === 'abort' ? fault : undefined);
        expect(await run('committing')).to.include({ outcome: 'published' });
      }
    });

    it('counts an abort that the store denies (U11)', async () => {
      hostile.fault = ({ operation }) => (operation === 'abort' ? denied : undefined);
      expect(await run('open')).to.deep.equal({ outcome: 'absent' });
      expect(left.reported()).to.deep.equal({ abortFailures: 1 });
    });

    it('also aborts an earlier upload of the same attempt that was not recorded (H8)', async () => {
      const first = await store.createUpload('a.zip', 'pod-1');
      Object.assign(hostile.uploads.get(first) ?? {}, { initiated: new Date(Date.now() - 30_000) });
      expect(await run('open')).to.deep.equal({ outcome: 'absent' });
      expect(hostile.uploads.size).to.equal(0);
    });

    it('aborts the unrecorded upload even if the recorded one is already gone (H8)', async () => {
      const unknown = await store.createUpload('a.zip', 'pod-1');
      Object.assign(hostile.uploads.get(unknown) ?? {}, { initiated: new Date(Date.now() - 30_000) });
      const uploadId = await store.createUpload('a.zip', 'pod-1');
      hostile.uploads.delete(uploadId);
      expect(await recoverAs({ uploadState: 'open', uploadId })).to.deep.equal({ outcome: 'absent' });
      expect(hostile.uploads.size).to.equal(0);
    });

    it('does not check the object without a response to the abort', async () => {
      publish('pod-1');
      hostile.fault = ({ operation }) =>
        operation === 'abort' ? { kind: 'drop', when: 'before' } : undefined;
      const uploadId = await store.createUpload('a.zip', 'pod-1');
      const recovery = recoverAs({ uploadState: 'committing', uploadId, endedAgeSeconds: 60 });
      expect(await recovery.catch((thrown: unknown) => thrown)).to.include({ code: 'StoreUnavailable' });
      expect(hostile.requests.some(({ operation }) => operation === 'head')).to.equal(false);
    });

    it('reports unknown and the missing permission if HEAD is denied', async () => {
      hostile.fault = ({ operation }) => (operation === 'head' ? denied : undefined);
      expect(await run('committing')).to.deep.equal({
        outcome: 'unknown',
        missingPermission: 's3:GetObject and s3:ListBucket',
      });
    });

    it('fails at its time limit', async () => {
      const gate = Promise.withResolvers<void>();
      hostile.fault = ({ operation }) =>
        operation === 'abort' ? { kind: 'hold', until: gate.promise } : undefined;
      const error = await run('committing', 300).catch((thrown: unknown) => thrown);
      gate.resolve();
      expect(error).to.include({ code: 'StoreUnavailable', storeCode: 'Timeout' });
    });
  });

  describe('checkBucket', () => {
    function run() {
      return checkBucket({
        store,
        settings,
        log,
        podUid: 'pod-1',
        signal: new AbortController().signal,
        toFailure,
      });
    }

    it('reports no missing permission and leaves nothing in the bucket', async () => {
      expect(await run()).to.deep.equal({ ok: true, missingPermissions: [] });
      expect([hostile.uploads.size, hostile.objects.size]).to.deep.equal([0, 0]);
    });

    it('reports missing optional permissions', async () => {
      hostile.fault = ({ operation }) =>
        operation === 'head' || operation === 'abort' || operation === 'listParts' ? denied : undefined;
      expect(await run()).to.deep.equal({
        ok: true,
        missingPermissions: [
          's3:GetObject and s3:ListBucket',
          's3:ListMultipartUploadParts',
          's3:AbortMultipartUpload',
        ],
      });
    });

    it('fails if writing is denied, and aborts its upload', async () => {
      hostile.fault = ({ operation }) => (operation === 'part' ? denied : undefined);
      const check = await run();
      expect(check).to.deep.include({ ok: false, missingPermissions: ['s3:PutObject'] });
      expect(check.failure).to.include({ code: 'BucketAccessDenied', retriable: false });
      expect(hostile.uploads.size).to.equal(0);
    });

    for (const [operation, permission] of [
      ['create', 's3:PutObject'],
      ['part', 's3:PutObject'],
      ['head', 's3:GetObject and s3:ListBucket'],
      ['listParts', 's3:ListMultipartUploadParts'],
      ['listUploads', 's3:ListBucketMultipartUploads'],
      ['abort', 's3:AbortMultipartUpload'],
    ] as const)
      it(`reports ${permission} if only ${operation} is denied`, async () => {
        hostile.fault = (request) => (request.operation === operation ? denied : undefined);
        const check = await run();
        expect(check.missingPermissions).to.deep.equal([permission]);
        expect(check.ok).to.equal(permission !== 's3:PutObject');
        expect(hostile.uploads.size).to.equal(operation === 'abort' ? 1 : 0);
      });

    it('reports the abort if it is permitted but has no effect (F27)', async () => {
      hostile.fault = ({ operation }) => (operation === 'abort' ? { kind: 'raced' } : undefined);
      expect(await run()).to.deep.equal({
        ok: true,
        missingPermissions: ['s3:AbortMultipartUpload'],
      });
    });

    it('distinguishes invalid credentials from a missing permission (U17)', async () => {
      hostile.fault = () => ({ kind: 'response', status: 403, code: 'InvalidAccessKeyId' });
      const check = await run();
      expect(check).to.deep.include({ ok: false, missingPermissions: [] });
      expect(check.failure).to.include({ code: 'BucketCredentialsInvalid' });
    });

    it('accepts a store without listings', async () => {
      hostile.fault = ({ operation }) =>
        operation === 'listUploads' ? { kind: 'response', status: 501, code: 'NotImplemented' } : undefined;
      expect(await run()).to.deep.include({ ok: true });
    });

    it('reports a missing bucket', async () => {
      hostile.fault = () => ({ kind: 'response', status: 404, code: 'NoSuchBucket' });
      expect((await run()).failure).to.include({ code: 'BucketNotFound' });
    });
  });
});
