import { expect } from 'chai';
import { until } from '#test/support/until.ts';
import { StoreError } from '#zipper-image/store/store-errors.ts';
import { body, briefly, failureOf, fill, KEY, settings, UploadHarness } from './upload-harness.ts';

const denied = { kind: 'response', status: 403, code: 'AccessDenied' } as const;

/** Long enough for the store to show the archive. */
const unhurried = { ...settings, storeConsistencyMs: 5_000 };

describe('publish with onConflict fail', () => {
  let harness: UploadHarness;
  function old() {
    return harness.hostile.objects.get(KEY);
  }

  beforeEach(async () => {
    harness = await UploadHarness.start({ kind: 's3' });
    harness.hostile.objects.delete(KEY);
  });
  afterEach(() => harness[Symbol.asyncDispose]());

  function createOtherObject(): void {
    harness.hostile.objects.set(KEY, { body: Buffer.from('other'), metadata: {}, etag: '"other"' });
  }

  it('refuses an existing object before it starts an upload (U16)', async () => {
    createOtherObject();
    expect(await failureOf(harness.open({ onConflict: 'fail' }))).to.include({
      code: 'ObjectExists',
      retryable: false,
    });
    expect(harness.hostile.requests.map(({ operation }) => operation)).to.deep.equal(['head']);
  });

  it('sends the condition with Complete, so an object created in the meantime is kept (U16)', async () => {
    const upload = await harness.filled({ onConflict: 'fail' });
    createOtherObject();
    expect(await failureOf(upload.complete())).to.include({ code: 'ObjectExists', retryable: false });
    await upload.abandon();
    expect(old()?.etag).to.equal('"other"');
    expect(harness.hostile.uploads.size).to.equal(0);
  });

  it('works without permission for HEAD (U16)', async () => {
    harness.hostile.fault = ({ operation }) => (operation === 'head' ? denied : undefined);
    await (await harness.filled({ onConflict: 'fail' })).complete();
    harness.expectPublished();
  });

  it('refuses if HEAD is denied and the store may ignore the condition (F27)', async () => {
    await using emulator = await UploadHarness.start();
    emulator.hostile.ignoresConditions = true;
    emulator.hostile.fault = ({ operation }) => (operation === 'head' ? denied : undefined);
    const failure = await failureOf(emulator.open({ onConflict: 'fail' }));
    expect(failure).to.include({ code: 'BucketAccessDenied', retryable: false });
    expect(failure.message).to.include('s3:GetObject and s3:ListBucket');
    emulator.expectNothingLeft();
  });

  it('succeeds if the response to Complete is lost and the retry returns 412 (U9) (U16)', async () => {
    harness.hostile.fault = ({ operation, nth }) => {
      if (operation !== 'complete') return undefined;
      if (nth === 1) return { kind: 'drop', when: 'after' };
      return { kind: 'response', status: 412, code: 'PreconditionFailed' };
    };
    await (await harness.filled({ onConflict: 'fail' })).complete();
    harness.expectPublished();
  });

  it('waits for its archive if a proxy repeated Complete, and the store still assembles it (U16) (F47)', async () => {
    const assembled = Promise.withResolvers<void>();
    harness.hostile.assembly = () => assembled.promise;
    const lost = harness.store.completeUpload.bind(harness.store);
    let calls = 0;
    harness.store.completeUpload = async (upload, parts, how) => {
      calls += 1;
      if (calls === 1)
        void lost(upload, parts, { onConflict: 'replace', limitMs: how.limitMs }).catch(() => undefined);
      await until('the first Complete to reach the store', () => harness.count('complete') > 0);
      how.onSent?.(true);
      throw new StoreError('Completing the upload: 412 PreconditionFailed', {
        code: 'ObjectExists',
        retryable: false,
        storeCode: 'PreconditionFailed',
        httpStatus: 412,
        isDocument: true,
      });
    };
    const upload = await harness.filled({ onConflict: 'fail', settings: unhurried });
    const completed = upload.complete();
    await until('the key to be read several times', () => harness.count('head') > 3);
    assembled.resolve();
    expect(await completed).to.include({ bytes: body.length });
    harness.expectPublished();
  });

  it('reports at once that an object exists while its upload is still there, however large the archive (U16)', async () => {
    const upload = await harness.filled({
      onConflict: 'fail',
      settings: { ...settings, storeConsistencyMs: 60_000 },
    });
    createOtherObject();
    expect(await failureOf(upload.complete())).to.include({ code: 'ObjectExists' });
    expect([harness.count('complete'), harness.count('head')]).to.deep.equal([1, 2]);
    expect(harness.left.end()).to.deep.equal({});
  });

  it('sends no Complete if the key cannot be read before it, and says so (F42)', async () => {
    await using emulator = await UploadHarness.start();
    emulator.hostile.objects.delete(KEY);
    const upload = await emulator.filled({ onConflict: 'fail', settings: briefly });
    emulator.hostile.fault = ({ operation }) =>
      operation === 'head' ? { kind: 'drop', when: 'before' } : undefined;
    expect(await failureOf(upload.complete())).to.include({ code: 'StoreUnavailable' });
    await upload.abandon();
    expect(emulator.count('complete')).to.equal(0);
    expect(emulator.left.end()).to.deep.equal({ upload: 'aborted' });
  });

  it('requires a new upload after a conflict at Complete (U16)', async () => {
    harness.hostile.fault = ({ operation }) =>
      operation === 'complete'
        ? { kind: 'response', status: 409, code: 'ConditionalRequestConflict' }
        : undefined;
    const upload = await harness.filled({ onConflict: 'fail' });
    expect(await failureOf(upload.complete())).to.include({ code: 'StoreUnavailable' });
    expect(harness.count('complete')).to.equal(1);
    await upload.abandon();
    expect([harness.hostile.objects.size, harness.hostile.uploads.size]).to.deep.equal([0, 0]);
  });

  it('checks the key again if the store may ignore the condition (U16)', async () => {
    await using emulator = await UploadHarness.start();
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
