/** The zipper's uploader, recovery and bucket check on a real S3 server. */
import { randomBytes } from 'node:crypto';
import { expect } from 'chai';
import { createHttpAgents } from '#runtime/egress/http-agents.ts';
import { createLogger } from '#runtime/log/log.ts';
import { type BucketReader, createBucketReader } from '#test/support/clients/bucket-reader.ts';
import { sharedCluster } from '#test/support/worlds/shared-cluster.ts';
import { toFailure } from '#zipper-image/status/failure.ts';
import { providerOf } from '#zipper-image/store/providers.ts';
import { createStore, type Store } from '#zipper-image/store/store.ts';
import { createUpload, type Upload, type UploadDeps } from '#zipper-image/store/upload.ts';
import { createUploadsLeft } from '#zipper-image/store/uploads-left.ts';
import { checkBucket } from '#zipper-image/tasks/check-bucket.ts';
import { recover } from '#zipper-image/tasks/recover.ts';

const BUCKET = 'zipper-store';
const MIB = 1024 * 1024;
const log = createLogger('test', { level: 'silent' });
const settings = {
  partSizeBytes: 5 * MIB,
  partsInFlight: 2,
  maxArchiveBytes: 2 ** 40,
  storeRetryLimitMs: 5_000,
  storeRetryBaseMs: 10,
  storeRetryMaxMs: 100,
  storeStartGraceMs: 300,
  storeConsistencyMs: 50,
  storeIdleTimeoutMs: 20_000,
  recoveryLimitMs: 20_000,
};

describe('the zipper on a real S3 server', function () {
  this.timeout(300_000);
  let store: Store;
  let reader: BucketReader;
  const body = randomBytes(11 * MIB);
  const signal = new AbortController().signal;

  before(async () => {
    const cluster = await sharedCluster();
    await cluster.createBucket(BUCKET);
    const { endpoint, region, ...credentials } = cluster.store;
    const bucket = { service: 's3', name: BUCKET, endpoint, region } as const;
    const allowedHosts = [new URL(endpoint).host];
    store = createStore({
      bucket,
      provider: providerOf(bucket, { allowedHosts, allowHttp: true }),
      credentials,
      agents: createHttpAgents({ connections: 4 }),
      connectTimeoutMs: 5000,
      idleTimeoutMs: 20_000,
    });
    reader = createBucketReader(cluster.store, BUCKET);
  });
  after(() => {
    store.close();
    reader[Symbol.dispose]();
  });

  function open(key: string, attempt: string, change: Partial<UploadDeps> = {}): Promise<Upload> {
    return createUpload({
      store,
      settings,
      log,
      key,
      attempt,
      onConflict: 'replace',
      signal,
      onFailure: () => undefined,
      uploadsLeft: createUploadsLeft(),
      ...change,
    });
  }
  async function filled(...args: Parameters<typeof open>): Promise<Upload> {
    const upload = await open(...args);
    for (let at = 0; at < body.length; at += 65_536) await upload.sink.write(body.subarray(at, at + 65_536));
    expect(await upload.finishParts()).to.equal(3);
    return upload;
  }
  function recovered(key: string, uploadId: string, attempt: string) {
    return recover({
      task: {
        contractVersion: 1,
        mode: 'recover',
        zipJobUid: 'uid-1',
        bucket: { service: 's3', name: BUCKET },
        key,
        uploadId,
        uploadState: 'committing',
        attempt,
        since: new Date(0).toISOString(),
        endedAt: new Date().toISOString(),
        endedAgeSeconds: 0,
      },
      store,
      settings,
      log,
      stopping: signal,
      startedMs: performance.now(),
      onAbortFailed: () => undefined,
    });
  }

  it('publishes an archive whose parts were verified, and leaves no incomplete upload (H8)', async () => {
    const upload = await filled('good.zip', 'pod-1');
    await upload.complete();
    expect((await reader.bytes('good.zip')).equals(body)).to.equal(true);
    expect(await store.head('good.zip')).to.include({ bytes: body.length, attempt: 'pod-1' });
    expect(await reader.openUploads()).to.deep.equal([]);
  });

  it('keeps the older object and leaves no incomplete upload when an upload is abandoned (H4) (H8)', async () => {
    await (await filled('kept.zip', 'pod-1')).complete();
    const before = await store.head('kept.zip');
    await (await filled('kept.zip', 'pod-2')).abandon();
    expect(await store.head('kept.zip')).to.deep.equal(before);
    expect(await reader.openUploads()).to.deep.equal([]);
  });

  it('recovers without a record: aborts only the uploads of the attempt (H8)', async () => {
    const since = new Date().toISOString();
    await store.createUpload('unrecorded.zip', 'pod-1');
    const other = await store.createUpload('unrecorded.zip.other', 'pod-1');
    const left = createUploadsLeft();
    const recoveredAs = await recover({
      task: {
        contractVersion: 1,
        mode: 'recover',
        zipJobUid: 'uid-1',
        bucket: { service: 's3', name: BUCKET },
        key: 'unrecorded.zip',
        attempt: 'pod-1',
        since,
        // The store's times have whole seconds.
        endedAt: new Date(Date.now() + 1000).toISOString(),
        endedAgeSeconds: 0,
        uploadState: 'unrecorded',
      },
      store,
      settings,
      log,
      stopping: signal,
      startedMs: performance.now() + 1000,
      onAbortFailed: left.abortFailed,
    });
    expect([recoveredAs, left.reported()]).to.deep.equal([{ outcome: 'absent' }, {}]);
    expect(await reader.openUploads()).to.deep.equal([other]);
    await store.abortUpload({ key: 'unrecorded.zip.other', uploadId: other });
  });

  it('does not replace an object unless replacing is allowed (U16)', async () => {
    await (await filled('mine.zip', 'pod-1')).complete();
    const error: unknown = await open('mine.zip', 'pod-2', { onConflict: 'fail' }).catch(
      (thrown: unknown) => thrown,
    );
    expect(error).to.include({ code: 'ObjectExists' });
    expect(await store.head('mine.zip')).to.include({ attempt: 'pod-1' });
  });

  it('recovers an archive as published after a Complete and as absent before it, and leaves no upload (F10) (F11)', async () => {
    const published = await filled('recovered.zip', 'pod-1');
    const { etag } = await published.complete();
    expect(await recovered('recovered.zip', published.uploadId, 'pod-1')).to.deep.equal({
      outcome: 'published',
      bytes: body.length,
      etag,
    });
    // With other bytes: this server repeats the first Complete for a finished upload when the ETag is the
    // same.
    const lost = await open('recovered.zip', 'pod-2');
    await lost.sink.write(randomBytes(6 * MIB));
    await lost.finishParts();
    expect(await recovered('recovered.zip', lost.uploadId, 'pod-2')).to.deep.equal({ outcome: 'absent' });
    expect(await reader.openUploads()).to.deep.equal([]);
    expect(await lost.complete().catch((thrown: unknown) => thrown)).to.be.instanceOf(Error);
    expect(await store.head('recovered.zip')).to.include({ attempt: 'pod-1' });
  });

  it('reports no missing permission for full credentials, and leaves nothing behind', async () => {
    const before = await reader.keys();
    const check = await checkBucket({ store, settings, log, podUid: 'pod-1', signal, toFailure });
    expect(check).to.deep.equal({ ok: true, missingPermissions: [] });
    expect(await reader.keys()).to.deep.equal(before);
    expect(await reader.openUploads()).to.deep.equal([]);
  });
});
