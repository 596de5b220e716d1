import { randomBytes } from 'node:crypto';
import { expect } from 'chai';
import { createEgressPolicy } from '#runtime/egress/egress-policy.ts';
import { createGuardedHttpAgents } from '#runtime/egress/http-agents.ts';
import { createLogger } from '#runtime/log.ts';
import { providerOf } from '../../../zipper-image/providers.ts';
import { createStore } from '../../../zipper-image/store.ts';
import { createUpload, type Upload, type UploadDeps } from '../../../zipper-image/upload.ts';
import { type HostileStore, type SeenRequest, startHostileStore } from '../../support/hostile-store.ts';

const PART = 64 * 1024;
const log = createLogger('test', { level: 'silent' });
const settings = {
  partSizeBytes: PART,
  partsInFlight: 3,
  maxArchiveBytes: 2 ** 40,
  storeAttempts: 3,
  storeThrottledAttempts: 6,
  storeRetryBaseMs: 1,
  storeRetryMaxMs: 2,
};

describe('createUpload', () => {
  let hostile: HostileStore;
  let store: ReturnType<typeof createStore>;
  let failures: Error[];

  beforeEach(async () => {
    hostile = await startHostileStore();
    failures = [];
    const bucket = { service: 's3', name: 'bucket', endpoint: hostile.endpoint } as const;
    const { host } = new URL(hostile.endpoint);
    const policy = createEgressPolicy({ allowCidrs: ['127.0.0.0/8'], denyCidrs: [] });
    store = createStore({
      bucket,
      provider: providerOf(bucket, { allowedHosts: [host], allowHttp: true }),
      credentials: { accessKeyId: 'id', secretAccessKey: 'secret' },
      agents: createGuardedHttpAgents(policy, { connections: 4 }),
      connectTimeoutMs: 1000,
      idleTimeoutMs: 400,
    });
  });
  afterEach(async () => {
    store.close();
    await hostile[Symbol.asyncDispose]();
  });

  const start = (change: Partial<UploadDeps> = {}): Promise<Upload> =>
    createUpload({
      store,
      settings,
      log,
      key: 'dir/ar chive.zip',
      attempt: 'pod-1',
      onConflict: 'replace',
      signal: new AbortController().signal,
      onFailure: (error) => failures.push(error),
      ...change,
    });

  const fill = async (upload: Upload, body: Buffer, chunk = 10_000): Promise<number> => {
    for (let at = 0; at < body.length; at += chunk) await upload.sink.write(body.subarray(at, at + chunk));
    return upload.finishParts();
  };
  const count = (operation: SeenRequest['operation']): number =>
    hostile.requests.filter((request) => request.operation === operation).length;
  const failureOf = (work: Promise<unknown>): Promise<unknown> =>
    work.then(
      () => undefined,
      (error: unknown) => error,
    );
  const body = randomBytes(5 * PART + 1234);

  it('sends equal parts and a last one that is not larger, each with its MD5, and the attempt with the object (U2) (U4)', async () => {
    const upload = await start();
    expect(await fill(upload, body)).to.equal(6);
    expect(upload.bytesUploaded).to.equal(body.length);
    const done = await upload.complete();
    expect(done.bytes).to.equal(body.length);
    const object = hostile.objects.get('dir/ar chive.zip');
    expect(object?.body.equals(body)).to.equal(true);
    expect(object?.metadata).to.deep.equal({ 'zip-attempt': 'pod-1' });
    const parts = hostile.requests.filter(({ operation }) => operation === 'part');
    expect(parts.every(({ headers }) => typeof headers['content-md5'] === 'string')).to.equal(true);
    expect(parts.some((part) => Object.keys(part.headers).some((name) => /checksum/.test(name)))).to.equal(
      false,
    );
  });

  it('is multipart also for a few bytes (U7)', async () => {
    const upload = await start();
    expect(await fill(upload, Buffer.from('tiny'))).to.equal(1);
    await upload.complete();
    expect(hostile.requests.map(({ operation }) => operation)).to.deep.equal(['create', 'part', 'complete']);
  });

  it('sends full parts when the archive ends with one', async () => {
    const upload = await start();
    expect(await fill(upload, body.subarray(0, 2 * PART))).to.equal(2);
    await upload.complete();
    expect(hostile.objects.get('dir/ar chive.zip')?.body.length).to.equal(2 * PART);
  });

  it('waits for the store instead of buffering (U18)', async () => {
    const gate = Promise.withResolvers<void>();
    hostile.fault = ({ operation }) =>
      operation === 'part' ? { kind: 'hold', until: gate.promise } : undefined;
    const upload = await start();
    const room = upload.sink.write(Buffer.alloc(4 * PART));
    expect(room).to.equal(undefined);
    const full = upload.sink.write(Buffer.alloc(1));
    expect(full).to.be.instanceOf(Promise);
    gate.resolve();
    await full;
    await upload.finishParts();
  });

  it('tries a part again after 500, SlowDown, a timeout and a reset, with the same bytes (U12)', async () => {
    hostile.fault = ({ operation, nth, partNumber }) => {
      if (operation !== 'part' || nth > 1) return undefined;
      if (partNumber === 1) return { kind: 'answer', status: 500, code: 'InternalError' };
      if (partNumber === 2) return { kind: 'answer', status: 503, code: 'SlowDown' };
      if (partNumber === 3) return { kind: 'drop', when: 'before' };
      if (partNumber === 4) return { kind: 'drop', when: 'after' };
      return partNumber === 5 ? { kind: 'answer', status: 400, code: 'RequestTimeout' } : undefined;
    };
    const upload = await start();
    await fill(upload, body);
    await upload.complete();
    expect(hostile.objects.get('dir/ar chive.zip')?.body.equals(body)).to.equal(true);
    expect(upload.retries).to.equal(5);
  });

  it('has more patience with a store that asks to slow down (U19)', async () => {
    hostile.fault = ({ operation, nth, partNumber }) =>
      operation === 'part' && partNumber === 1 && nth < 6
        ? { kind: 'answer', status: 503, code: 'SlowDown' }
        : undefined;
    const upload = await start();
    await fill(upload, body);
    await upload.complete();
    expect(upload.retries).to.equal(5);
  });

  it('gives up a part that is refused, at once, and says so at once (U12)', async () => {
    hostile.fault = ({ operation, partNumber }) =>
      operation === 'part' && partNumber === 2
        ? { kind: 'answer', status: 403, code: 'AccessDenied' }
        : undefined;
    const upload = await start();
    const error = await failureOf(fill(upload, body));
    expect(error).to.include({ code: 'BucketAccessDenied', httpStatus: 403 });
    expect(failures).to.deep.equal([error]);
    expect(hostile.requests.filter(({ partNumber }) => partNumber === 2).length).to.equal(1);
    await upload.abandon();
    expect([hostile.uploads.size, hostile.objects.size]).to.deep.equal([0, 0]);
  });

  it('fails when the store keeps other bytes than were sent (U14)', async () => {
    hostile.fault = ({ operation, partNumber }) =>
      operation === 'part' && partNumber === 3 ? { kind: 'corrupt' } : undefined;
    const upload = await start();
    expect(await failureOf(fill(upload, body))).to.include({ code: 'StoreCorrupted' });
    await upload.abandon();
    expect([hostile.uploads.size, hostile.objects.size]).to.deep.equal([0, 0]);
  });

  for (const [status, code, want] of [
    [404, 'NoSuchBucket', 'BucketNotFound'],
    [403, 'AccessDenied', 'BucketAccessDenied'],
    [403, 'InvalidAccessKeyId', 'BucketCredentialsInvalid'],
    [403, 'SignatureDoesNotMatch', 'BucketCredentialsInvalid'],
    [400, 'ExpiredToken', 'BucketCredentialsInvalid'],
    [301, 'PermanentRedirect', 'BucketMisconfigured'],
    [400, 'AuthorizationHeaderMalformed', 'BucketMisconfigured'],
  ] as const)
    it(`fails at its first request with ${want} for ${code} (U17)`, async () => {
      hostile.fault = () => ({ kind: 'answer', status, code });
      expect(await failureOf(start())).to.include({ code: want, retryable: false });
      expect(hostile.requests.length).to.equal(1);
    });

  it('completes again after 200 with an error inside, and after a throttled Complete (U8)', async () => {
    hostile.fault = ({ operation, nth }) => {
      if (operation !== 'complete') return undefined;
      if (nth === 1) return { kind: 'okError', code: 'InternalError' };
      return nth === 2 ? { kind: 'answer', status: 503, code: 'SlowDown' } : undefined;
    };
    const upload = await start();
    await fill(upload, body);
    await upload.complete();
    expect(hostile.objects.size).to.equal(1);
    expect(count('complete')).to.equal(3);
  });

  it('finds its archive when the answer to Complete is lost (U9)', async () => {
    hostile.fault = ({ operation, nth }) =>
      operation === 'complete' && nth === 1 ? { kind: 'drop', when: 'after' } : undefined;
    const upload = await start();
    await fill(upload, body);
    const done = await upload.complete();
    expect(done.etag).to.match(/-6$/);
    expect(count('head')).to.equal(1);
  });

  it('does not take another archive at the key for its own (U9)', async () => {
    hostile.objects.set('dir/ar chive.zip', { body, metadata: { 'zip-attempt': 'pod-0' }, etag: '"x"' });
    hostile.fault = ({ operation }) =>
      operation === 'complete' ? { kind: 'answer', status: 500, code: 'InternalError' } : undefined;
    const upload = await start();
    await fill(upload, body);
    expect(await failureOf(upload.complete())).to.include({ code: 'StoreUnavailable' });
    expect(hostile.uploads.size).to.equal(0);
    expect(hostile.objects.get('dir/ar chive.zip')?.etag).to.equal('"x"');
  });

  it('says that nobody can tell when the answer is lost and looking is refused (U9)', async () => {
    hostile.fault = ({ operation, nth }) => {
      if (operation === 'complete' && nth === 1) return { kind: 'drop', when: 'after' };
      return operation === 'head' ? { kind: 'answer', status: 403, code: 'AccessDenied' } : undefined;
    };
    const upload = await start();
    await fill(upload, body);
    expect(await failureOf(upload.complete())).to.include({ code: 'OutcomeUnknown' });
  });

  it('aborts after the parts on their way have ended, and again while the upload is listed (U10)', async () => {
    const gate = Promise.withResolvers<void>();
    hostile.fault = ({ operation, nth }) => {
      if (operation === 'part') return { kind: 'hold', until: gate.promise };
      return operation === 'abort' && nth === 1 ? { kind: 'answer', status: 204, code: 'x' } : undefined;
    };
    const upload = await start();
    await upload.sink.write(Buffer.alloc(2 * PART));
    gate.resolve();
    await upload.abandon();
    expect(hostile.uploads.size).to.equal(0);
  });

  for (const fault of [
    { kind: 'answer', status: 403, code: 'AccessDenied' },
    { kind: 'answer', status: 404, code: 'NoSuchUpload' },
    { kind: 'drop', when: 'before' },
  ] as const)
    it(`ends quietly when the abort fails by ${fault.kind === 'answer' ? fault.code : 'a reset'} (U11)`, async () => {
      hostile.fault = ({ operation }) => (operation === 'abort' ? fault : undefined);
      const upload = await start();
      await upload.abandon();
      expect(count('abort')).to.be.within(1, 3);
    });

  it('leaves an object that must not be replaced, and says ObjectExists (U16)', async () => {
    hostile.objects.set('dir/ar chive.zip', { body: Buffer.from('old'), metadata: {}, etag: '"old"' });
    const upload = await start({ onConflict: 'fail' });
    await fill(upload, body);
    expect(await failureOf(upload.complete())).to.include({ code: 'ObjectExists', retryable: false });
    await upload.abandon();
    expect(hostile.objects.get('dir/ar chive.zip')?.etag).to.equal('"old"');
    expect(hostile.uploads.size).to.equal(0);
  });

  it('wants a fresh upload after a conflict at Complete (U16)', async () => {
    hostile.fault = ({ operation }) =>
      operation === 'complete'
        ? { kind: 'answer', status: 409, code: 'ConditionalRequestConflict' }
        : undefined;
    const upload = await start({ onConflict: 'fail' });
    await fill(upload, body);
    expect(await failureOf(upload.complete())).to.include({ code: 'StoreUnavailable' });
    expect(count('complete')).to.equal(1);
  });

  it('gives up on a store that takes a part and never answers (U18)', async () => {
    const gate = Promise.withResolvers<void>();
    hostile.fault = ({ operation }) =>
      operation === 'part' ? { kind: 'hold', until: gate.promise } : undefined;
    const upload = await start();
    const error = await failureOf(fill(upload, Buffer.from('x')));
    gate.resolve();
    expect(error).to.include({ code: 'StoreUnavailable', retryable: true });
    await upload.abandon();
  });

  it('refuses what cannot fit before it is sent (U3)', async () => {
    const upload = await start({ settings: { ...settings, maxArchiveBytes: 100_000 } });
    expect(() => upload.assertFits(100_000)).not.to.throw();
    expect(() => upload.assertFits(100_001))
      .to.throw()
      .with.property('code', 'ArchiveTooLarge');
    const parts = await start();
    expect(() => parts.assertFits(10_000 * PART + 1))
      .to.throw()
      .with.property('code', 'ArchiveTooLarge');
  });
});
