import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { createLogger } from '#runtime/log/log.ts';
import type { Operation, SeenRequest } from '#test/support/servers/hostile-store.ts';
import { type MountedKeysOptions, readMountedKeys } from '#zipper-image/store/mounted-keys.ts';
import { failureOf, fill, KEY, UploadHarness } from './upload-harness.ts';

const NOT_STOPPING = new AbortController().signal;

describe('the keys in the mounted Secret of a bucket', () => {
  const log = createLogger('test', { level: 'silent' });
  let directory: string;
  let harness: UploadHarness | undefined;
  function write(name: string, text: string): Promise<void> {
    return writeFile(join(directory, name), `${text}\n`);
  }
  function read(options: Partial<MountedKeysOptions> = {}) {
    const defaults = { log, limitMs: 10_000, stopping: NOT_STOPPING, baseDelayMs: 1 };
    return readMountedKeys(directory, { ...defaults, ...options });
  }
  async function start(options: Partial<MountedKeysOptions> = {}): Promise<UploadHarness> {
    harness = await UploadHarness.start({ credentials: await read(options) });
    return harness;
  }
  function keyOf({ headers }: SeenRequest): string {
    return /Credential=([^/]+)/.exec(String(headers.authorization))?.[1] ?? '';
  }
  function keysAt({ hostile }: UploadHarness, operation: Operation): readonly string[] {
    return hostile.requests.filter((request) => request.operation === operation).map(keyOf);
  }
  /** The store rejects the old key in these requests, and the kubelet replaces the files after some rejections. */
  function rotate({ hostile }: UploadHarness, code: string, operations?: readonly Operation[]): void {
    let rejections = 0;
    hostile.fault = (seen) => {
      if (keyOf(seen) !== 'old' || operations?.includes(seen.operation) === false) return undefined;
      rejections += 1;
      if (rejections === 3) void write('accessKeyId', 'new');
      return { kind: 'response', status: 403, code };
    };
  }
  beforeEach(async () => {
    directory = await mkdtemp(join(tmpdir(), 'zipjobs-secret-'));
    await Promise.all([write('accessKeyId', 'old'), write('secretAccessKey', 'secret')]);
  });
  afterEach(async () => {
    await harness?.[Symbol.asyncDispose]();
    await rm(directory, { recursive: true, force: true });
  });

  it('are read again when the store responds ExpiredToken in the middle of an upload (X21)', async () => {
    await write('sessionToken', 't-old');
    const started = await start();
    const upload = await started.open();
    started.hostile.fault = ({ headers }) => {
      if (headers['x-amz-security-token'] !== 't-old') return undefined;
      void write('sessionToken', 't-new');
      return { kind: 'response', status: 400, code: 'ExpiredToken' };
    };
    await fill(upload);
    await upload.complete();
    started.expectPublished();
  });

  it('need no session token (X21)', async () => {
    expect(await (await read()).current()).to.deep.equal({ accessKeyId: 'old', secretAccessKey: 'secret' });
  });

  for (const operation of ['create', 'part', 'complete', 'head'] as const)
    it(`are read again until they are replaced when the store rejects them in a ${operation} request (X37)`, async () => {
      const started = await start();
      rotate(started, 'InvalidAccessKeyId', operation === 'head' ? ['head', 'listUploads'] : [operation]);
      const upload = await started.filled();
      await upload.complete();
      started.expectPublished();
      expect(keysAt(started, operation)).to.include.members(['old', 'new']);
      expect(upload.retries).to.equal(0);
    });

  for (const operation of ['abort', 'listParts'] as const)
    it(`are read again when the store rejects them in a ${operation} request of an abandoned upload (X37)`, async () => {
      const started = await start();
      const upload = await started.open();
      rotate(started, 'SignatureDoesNotMatch', [operation]);
      await upload.abandon();
      expect(started.hostile.uploads.size).to.equal(0);
      expect(keysAt(started, operation)).to.include.members(['old', 'new']);
    });

  for (const [work, operation] of [
    ['listUploads', 'listUploads'],
    ['deleteObject', 'delete'],
  ] as const)
    it(`are read again when the store rejects them in ${work} (X37)`, async () => {
      const started = await start();
      rotate(started, 'InvalidAccessKeyId');
      await started.store[work](KEY);
      expect(keysAt(started, operation).at(-1)).to.equal('new');
    });

  for (const code of [
    'InvalidAccessKeyId',
    'SignatureDoesNotMatch',
    'InvalidToken',
    'ExpiredToken',
    'XAdminUserNotFound',
    'TokenRefreshRequired',
  ])
    it(`are read again after ${code} (X37)`, async () => {
      const started = await start();
      rotate(started, code);
      await started.open();
      expect(keysAt(started, 'create')).to.deep.equal(['old', 'old', 'old', 'new']);
    });

  it('are read again after a reset, because a store may reset the connection of a part whose key it rejects (X37)', async () => {
    const started = await start();
    const upload = await started.open();
    let resets = 0;
    started.hostile.fault = (seen) => {
      if (keyOf(seen) !== 'old') return undefined;
      resets += 1;
      if (resets === 3) void write('accessKeyId', 'new');
      return { kind: 'drop', when: 'before' };
    };
    await fill(upload);
    await upload.complete();
    started.expectPublished();
  });

  it('are used again if the files are incomplete for a moment (X37)', async () => {
    const started = await start();
    rotate(started, 'InvalidAccessKeyId');
    await rm(join(directory, 'secretAccessKey'));
    const opened = started.open();
    await write('secretAccessKey', 'secret');
    await opened;
    expect(keysAt(started, 'create').at(-1)).to.equal('new');
  });

  it('fail the upload when the store accepts none within the time limit, which all requests share (X37)', async () => {
    const started = await start({ limitMs: 50 });
    started.hostile.fault = () => ({ kind: 'response', status: 403, code: 'InvalidAccessKeyId' });
    expect(await failureOf(started.open())).to.include({
      code: 'BucketCredentialsInvalid',
      retryable: false,
    });
    const before = started.count('create');
    expect(before).to.be.above(2);
    expect(await failureOf(started.open())).to.include({ code: 'BucketCredentialsInvalid' });
    expect(started.count('create') - before).to.equal(2);
  });

  it('fail a bucket test, which has no time limit to wait, after one repetition (X37)', async () => {
    const started = await start({ limitMs: 0 });
    started.hostile.fault = () => ({ kind: 'response', status: 403, code: 'SignatureDoesNotMatch' });
    expect(await failureOf(started.open())).to.include({ code: 'BucketCredentialsInvalid' });
    expect(started.count('create')).to.equal(2);
  });

  it('are not awaited in a pod that stops (X37)', async () => {
    const stopping = new AbortController();
    const started = await start({ stopping: stopping.signal });
    const upload = await started.open();
    started.hostile.fault = () => ({ kind: 'response', status: 403, code: 'InvalidAccessKeyId' });
    stopping.abort();
    await upload.abandon();
    expect(started.count('abort')).to.equal(2);
  });

  it('are not read again for a missing permission (X37)', async () => {
    const started = await start();
    started.hostile.fault = () => ({ kind: 'response', status: 403, code: 'AccessDenied' });
    expect(await failureOf(started.store.head(KEY))).to.include({ code: 'BucketAccessDenied' });
    expect(await failureOf(started.open())).to.include({ code: 'BucketAccessDenied' });
    expect([started.count('head'), started.count('create')]).to.deep.equal([1, 1]);
  });
});
