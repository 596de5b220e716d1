import { expect } from 'chai';
import { body, failureOf, fill, KEY, PART, UploadBench } from './upload-harness.ts';

const denied = { kind: 'response', status: 403, code: 'AccessDenied' } as const;
const internal = { kind: 'response', status: 500, code: 'InternalError' } as const;

describe('publish', () => {
  let bench: UploadBench;

  beforeEach(async () => {
    bench = await UploadBench.start();
  });
  afterEach(() => bench[Symbol.asyncDispose]());

  it('retries Complete after a 200 with an embedded error and after throttling (U8)', async () => {
    bench.hostile.fault = ({ operation, nth }) => {
      if (operation !== 'complete') return undefined;
      if (nth === 1) return { kind: 'okError', code: 'InternalError', spaces: 20 };
      return nth === 2 ? { kind: 'response', status: 503, code: 'SlowDown' } : undefined;
    };
    await (await bench.filled()).complete();
    bench.expectPublished();
    expect(bench.count('complete')).to.equal(3);
  });

  it('fails and aborts the upload if every Complete returns 200 with an embedded error (U6) (U8)', async () => {
    bench.hostile.fault = ({ operation }) =>
      operation === 'complete' ? { kind: 'okError', code: 'InternalError', spaces: 3 } : undefined;
    const upload = await bench.filled();
    expect(await failureOf(upload.complete())).to.include({ code: 'StoreUnavailable', retryable: true });
    await upload.abandon();
    bench.expectNothingLeft();
  });

  it('retries Complete if the response ends in its leading white space (U8)', async () => {
    bench.hostile.fault = ({ operation, nth }) =>
      operation === 'complete' && nth === 1 ? { kind: 'okSpaces', until: Promise.resolve() } : undefined;
    await (await bench.filled()).complete();
    bench.expectPublished();
  });

  it('finds its archive if the response to Complete is lost (U9)', async () => {
    bench.hostile.fault = ({ operation, nth }) =>
      operation === 'complete' && nth === 1 ? { kind: 'drop', when: 'after' } : undefined;
    const done = await (await bench.filled()).complete();
    expect(done).to.include({ bytes: body.length }).and.to.have.property('etag').that.matches(/-6$/);
    expect(bench.count('head')).to.equal(1);
    bench.expectPublished();
  });

  it('does not accept an archive of another attempt (U9)', async () => {
    bench.hostile.fault = ({ operation }) => (operation === 'complete' ? internal : undefined);
    const upload = await bench.filled();
    expect(await failureOf(upload.complete())).to.include({ code: 'StoreUnavailable' });
    bench.expectNothingLeft();
  });

  it('does not accept an archive of another size (U9)', async () => {
    bench.hostile.fault = ({ operation, nth }) => {
      if (operation !== 'complete') return undefined;
      const metadata = { 'zip-attempt': 'pod-1' };
      if (nth === 1) bench.hostile.objects.set(KEY, { body: Buffer.alloc(5), metadata, etag: '"x-1"' });
      return { kind: 'drop', when: 'before' };
    };
    expect(await failureOf((await bench.filled()).complete())).to.include({ code: 'OutcomeUnknown' });
  });

  it('reports OutcomeUnknown if the response is lost and HEAD is denied (U9)', async () => {
    bench.hostile.fault = ({ operation, nth }) => {
      if (operation === 'complete' && nth === 1) return { kind: 'drop', when: 'after' };
      return operation === 'head' ? denied : undefined;
    };
    expect(await failureOf((await bench.filled()).complete())).to.include({ code: 'OutcomeUnknown' });
  });

  it('deletes an object that does not match its parts (U14)', async () => {
    const upload = await bench.filled();
    for (const open of bench.hostile.uploads.values()) {
      const third = open.parts.get(3);
      if (third) open.parts.set(3, { ...third, body: Buffer.alloc(PART), etag: `"${'0'.repeat(32)}"` });
    }
    expect(await failureOf(upload.complete())).to.include({
      code: 'StoreCorrupted',
      storeCode: 'EtagMismatch',
      retryable: true,
    });
    expect(bench.hostile.objects.has(KEY)).to.equal(false);
    expect(bench.hostile.uploads.size).to.equal(0);
  });
});

describe('publish with onConflict fail', () => {
  let bench: UploadBench;
  const old = () => bench.hostile.objects.get(KEY);

  beforeEach(async () => {
    bench = await UploadBench.start({ kind: 's3' });
    bench.hostile.objects.delete(KEY);
  });
  afterEach(() => bench[Symbol.asyncDispose]());

  const createOtherObject = (): void => {
    bench.hostile.objects.set(KEY, { body: Buffer.from('other'), metadata: {}, etag: '"other"' });
  };

  it('refuses an existing object before it starts an upload (U16)', async () => {
    createOtherObject();
    expect(await failureOf(bench.open({ onConflict: 'fail' }))).to.include({
      code: 'ObjectExists',
      retryable: false,
    });
    expect(bench.hostile.requests.map(({ operation }) => operation)).to.deep.equal(['head']);
  });

  it('sends the condition with Complete, so an object created in the meantime is kept (U16)', async () => {
    const upload = await bench.filled({ onConflict: 'fail' });
    createOtherObject();
    expect(await failureOf(upload.complete())).to.include({ code: 'ObjectExists', retryable: false });
    await upload.abandon();
    expect(old()?.etag).to.equal('"other"');
    expect(bench.hostile.uploads.size).to.equal(0);
  });

  it('works without permission for HEAD (U16)', async () => {
    bench.hostile.fault = ({ operation }) => (operation === 'head' ? denied : undefined);
    await (await bench.filled({ onConflict: 'fail' })).complete();
    bench.expectPublished();
  });

  it('succeeds if the response to Complete is lost and the retry returns 412 (U9) (U16)', async () => {
    bench.hostile.fault = ({ operation, nth }) => {
      if (operation !== 'complete') return undefined;
      if (nth === 1) return { kind: 'drop', when: 'after' };
      return { kind: 'response', status: 412, code: 'PreconditionFailed' };
    };
    await (await bench.filled({ onConflict: 'fail' })).complete();
    bench.expectPublished();
  });

  it('requires a new upload after a conflict at Complete (U16)', async () => {
    bench.hostile.fault = ({ operation }) =>
      operation === 'complete'
        ? { kind: 'response', status: 409, code: 'ConditionalRequestConflict' }
        : undefined;
    const upload = await bench.filled({ onConflict: 'fail' });
    expect(await failureOf(upload.complete())).to.include({ code: 'StoreUnavailable' });
    expect(bench.count('complete')).to.equal(1);
    await upload.abandon();
    expect([bench.hostile.objects.size, bench.hostile.uploads.size]).to.deep.equal([0, 0]);
  });

  it('checks the key again if the store may ignore the condition (U16)', async () => {
    await using emulator = await UploadBench.start();
    emulator.hostile.objects.delete(KEY);
    emulator.hostile.ignoresConditions = true;
    const upload = await emulator.open({ onConflict: 'fail' });
    await fill(upload);
    emulator.hostile.objects.set(KEY, { body: Buffer.from('other'), metadata: {}, etag: '"other"' });
    expect(await failureOf(upload.complete())).to.include({ code: 'ObjectExists' });
    await upload.abandon();
    expect(emulator.hostile.objects.get(KEY)?.etag).to.equal('"other"');
    expect(emulator.hostile.uploads.size).to.equal(0);
  });
});
