import { expect } from 'chai';
import { until } from '#test/support/until.ts';
import { StoreError } from '#zipper-image/store/store-errors.ts';
import { body, briefly, failureOf, KEY, PART, settings, UploadHarness } from './upload-harness.ts';

const denied = { kind: 'response', status: 403, code: 'AccessDenied' } as const;
const slowDown = { kind: 'response', status: 503, code: 'SlowDown' } as const;
const internal = { kind: 'response', status: 500, code: 'InternalError' } as const;

/** Long enough for the store to show the archive. */
const unhurried = { ...settings, storeConsistencyMs: 5_000 };

describe('publish', () => {
  let harness: UploadHarness;

  beforeEach(async () => {
    harness = await UploadHarness.start();
  });
  afterEach(() => harness[Symbol.asyncDispose]());

  it('retries Complete after a 200 with an embedded error and after throttling (U8)', async () => {
    harness.hostile.fault = ({ operation, nth }) => {
      if (operation !== 'complete') return undefined;
      if (nth === 1) return { kind: 'okError', code: 'InternalError', spaces: 20 };
      return nth === 2 ? { kind: 'response', status: 503, code: 'SlowDown' } : undefined;
    };
    await (await harness.filled()).complete();
    harness.expectPublished();
    expect(harness.count('complete')).to.equal(3);
  });

  it('fails and aborts the upload if every Complete returns 200 with an embedded error (U6) (U8)', async () => {
    harness.hostile.fault = ({ operation }) =>
      operation === 'complete' ? { kind: 'okError', code: 'InternalError', spaces: 3 } : undefined;
    const upload = await harness.filled({ settings: briefly });
    expect(await failureOf(upload.complete())).to.include({ code: 'StoreUnavailable', retryable: true });
    await upload.abandon();
    harness.expectNothingLeft();
  });

  for (const code of ['BadDigest', 'XAmzContentChecksumMismatch'])
    it(`does not repeat a Complete whose checksum the store refuses with ${code}, and publishes nothing (U6) (U14)`, async () => {
      harness.hostile.fault = ({ operation }) =>
        operation === 'complete' ? { kind: 'response', status: 400, code } : undefined;
      const upload = await harness.filled();
      expect(await failureOf(upload.complete())).to.include({ code: 'StoreCorrupted', retryable: true });
      expect(harness.count('complete')).to.equal(1);
      await upload.abandon();
      harness.expectNothingLeft();
    });

  it('retries Complete if the response ends in its leading white space (U8)', async () => {
    harness.hostile.fault = ({ operation, nth }) =>
      operation === 'complete' && nth === 1 ? { kind: 'okSpaces', until: Promise.resolve() } : undefined;
    await (await harness.filled()).complete();
    harness.expectPublished();
  });

  it('finds its archive if the response to Complete is lost (U9)', async () => {
    harness.hostile.fault = ({ operation, nth }) =>
      operation === 'complete' && nth === 1 ? { kind: 'drop', when: 'after' } : undefined;
    const done = await (await harness.filled()).complete();
    expect(done).to.include({ bytes: body.length }).and.to.have.property('etag').that.matches(/-6$/);
    expect(harness.count('head')).to.equal(1);
    harness.expectPublished();
  });

  it('does not accept an archive of another attempt (U9)', async () => {
    harness.hostile.fault = ({ operation }) => (operation === 'complete' ? internal : undefined);
    const upload = await harness.filled({ settings: briefly });
    expect(await failureOf(upload.complete())).to.include({ code: 'StoreUnavailable' });
    harness.expectNothingLeft();
  });

  it('does not accept an archive of another size (U9)', async () => {
    harness.hostile.fault = ({ operation, nth }) => {
      if (operation !== 'complete') return undefined;
      const metadata = { 'zip-attempt': 'pod-1' };
      if (nth === 1) harness.hostile.objects.set(KEY, { body: Buffer.alloc(5), metadata, etag: '"x-1"' });
      return { kind: 'drop', when: 'before' };
    };
    expect(await failureOf((await harness.filled()).complete())).to.include({ code: 'OutcomeUnknown' });
  });

  it('reports OutcomeUnknown if the response is lost and HEAD is denied (U9)', async () => {
    harness.hostile.fault = ({ operation, nth }) => {
      if (operation === 'complete' && nth === 1) return { kind: 'drop', when: 'after' };
      return operation === 'head' ? denied : undefined;
    };
    expect(await failureOf((await harness.filled()).complete())).to.include({ code: 'OutcomeUnknown' });
  });

  it('reports OutcomeUnknown if the response is lost and the store stays unavailable (F27)', async () => {
    harness.hostile.fault = ({ operation }) =>
      operation === 'complete' || operation === 'abort' ? { kind: 'drop', when: 'before' } : undefined;
    const upload = await harness.filled({ settings: briefly });
    expect(await failureOf(upload.complete())).to.include({ code: 'OutcomeUnknown' });
  });

  it('accepts its archive although HEAD does not show it for a while (F27)', async () => {
    harness.hostile.delays = { head: settings.storeConsistencyMs / 2 };
    harness.hostile.fault = ({ operation, nth }) =>
      operation === 'complete' && nth === 1 ? { kind: 'drop', when: 'after' } : undefined;
    expect(await (await harness.filled()).complete()).to.include({ bytes: body.length });
    harness.expectPublished();
  });

  it('does not accept the object of another, although the response to Complete follows from the parts (F35)', async () => {
    harness.hostile.repeatsCompletes = true;
    harness.hostile.fault = ({ operation }) => {
      if (operation === 'complete') harness.hostile.uploads.clear();
      return undefined;
    };
    const upload = await harness.filled();
    expect(await failureOf(upload.complete())).to.include({ code: 'OutcomeUnknown' });
    expect(harness.hostile.objects.get(KEY)?.etag).to.equal('"old"');
  });

  for (const [what, first, end] of [
    ['succeeds if the store only throttled the first Complete', slowDown, 'published'],
    ['reports OutcomeUnknown if the first Complete failed in the store', internal, 'OutcomeUnknown'],
  ] as const)
    it(`${what}, without permission to read the object (F35)`, async () => {
      harness.hostile.fault = ({ operation, nth }) => {
        if (operation === 'head') return denied;
        return operation === 'complete' && nth === 1 ? first : undefined;
      };
      const upload = await harness.filled();
      const outcome = await upload.complete().then(
        () => 'published',
        (error: unknown) => (error as { code: string }).code,
      );
      expect([outcome, harness.count('complete')]).to.deep.equal([end, 2]);
    });

  it('does not send Complete again while the store may still assemble the archive (F47)', async () => {
    const assembled = Promise.withResolvers<void>();
    harness.hostile.assembly = () => assembled.promise;
    harness.hostile.fault = ({ operation }) =>
      operation === 'complete' ? { kind: 'drop', when: 'after' } : undefined;
    const completed = (await harness.filled({ settings: unhurried })).complete();
    await until('the key to be read several times', () => harness.count('head') > 2);
    assembled.resolve();
    expect(await completed).to.include({ bytes: body.length });
    expect([harness.count('complete'), harness.count('abort')]).to.deep.equal([1, 0]);
    harness.expectPublished();
  });

  it('reports OutcomeUnknown if the upload is gone and the archive does not appear in time (F47)', async () => {
    const assembled = Promise.withResolvers<void>();
    harness.hostile.assembly = () => assembled.promise;
    harness.hostile.fault = ({ operation }) =>
      operation === 'complete' ? { kind: 'drop', when: 'after' } : undefined;
    const upload = await harness.filled();
    expect(await failureOf(upload.complete())).to.include({ code: 'OutcomeUnknown' });
    expect(harness.count('complete')).to.equal(1);
    await upload.abandon();
    expect(harness.left.end()).to.deep.equal({});
    assembled.resolve();
    await until('the archive to appear', () => harness.hostile.objects.get(KEY)?.etag !== '"old"');
  });

  it('sends Complete again if the upload is still there when the time of the first is over (F47)', async () => {
    harness.hostile.fault = ({ operation, nth }) =>
      operation === 'complete' && nth === 1 ? { kind: 'drop', when: 'before' } : undefined;
    await (await harness.filled()).complete();
    expect(harness.count('complete')).to.equal(2);
    expect(harness.count('listParts')).to.be.at.least(2);
    harness.expectPublished();
  });

  it('gives a large archive more time than the idle timeout of other requests (F47)', async () => {
    await using silent = await UploadHarness.start({ idleTimeoutMs: 200 });
    const assembled = Promise.withResolvers<void>();
    silent.hostile.assembly = () => assembled.promise;
    const upload = await silent.filled({ settings: { ...unhurried, storeIdleTimeoutMs: 200 } });
    const completed = upload.complete();
    await until('Complete to reach the store', () => silent.count('complete') > 0);
    setTimeout(() => assembled.resolve(), 600);
    await completed;
    expect([silent.count('complete'), silent.count('head')]).to.deep.equal([1, 1]);
    silent.expectPublished();
  });

  it('says that nothing remains of an upload that it aborted after all (F42) (F45)', async () => {
    harness.hostile.fault = ({ operation }) => (operation === 'complete' ? internal : undefined);
    await failureOf((await harness.filled({ settings: briefly })).complete());
    expect(harness.left.end()).to.deep.equal({ upload: 'aborted' });
    harness.expectNothingLeft();
  });

  it('repeats a Complete that failed after a time longer than that of other requests (F47)', async () => {
    await using slow = await UploadHarness.start();
    const first = Promise.withResolvers<void>();
    const limited = { ...settings, storeRetryLimitMs: 100, storeConsistencyMs: 2_000 };
    const completeUpload = slow.store.completeUpload.bind(slow.store);
    slow.store.completeUpload = async (upload, parts, how) => {
      if (slow.count('complete') === 0) await first.promise;
      return completeUpload(upload, parts, how);
    };
    slow.hostile.fault = ({ operation, nth }) =>
      operation === 'complete' && nth === 1 ? slowDown : undefined;
    const completed = (await slow.filled({ settings: limited })).complete();
    setTimeout(() => first.resolve(), 3 * limited.storeRetryLimitMs);
    await completed;
    expect(slow.count('complete')).to.equal(2);
    slow.expectPublished();
  });

  it('leaves the upload as it is if nobody knows what became of a Complete, as evidence for recovery (F47)', async () => {
    const upload = await harness.filled({ settings: briefly });
    harness.hostile.fault = () => ({ kind: 'drop', when: 'before' });
    expect(await failureOf(upload.complete())).to.include({ code: 'OutcomeUnknown' });
    harness.hostile.fault = () => undefined;
    const aborts = harness.count('abort');
    await upload.abandon();
    expect([harness.count('abort') - aborts, harness.hostile.uploads.size]).to.deep.equal([0, 1]);
    expect(harness.left.end()).to.deep.equal({});
  });

  for (const [what, failure, end] of [
    [
      'repeats Complete',
      { code: 'StoreUnavailable', retryable: true, storeCode: 'InternalFailure' },
      'published',
    ],
    ['aborts', { code: 'BucketCredentialsInvalid', retryable: false, storeCode: 'AccessDenied' }, 'aborted'],
  ] as const)
    it(`${what} if the token service failed, because the store received nothing (F47)`, async () => {
      let failures = 0;
      async function current() {
        await Promise.resolve();
        if (failures <= 0) return { accessKeyId: 'id', secretAccessKey: 'secret', sessionToken: 'token' };
        failures -= 1;
        throw new StoreError('Getting credentials', failure);
      }
      const repeats = { attempts: 1, baseDelayMs: 0, maxDelayMs: 0 };
      const credentials = { current, renew: () => Promise.resolve(), repeats };
      await using keyless = await UploadHarness.start({ credentials });
      const upload = await keyless.filled();
      failures = 1;
      const outcome = await upload.complete().then(
        () => 'published',
        (error: unknown) => (error as { code: string }).code,
      );
      await upload.abandon();
      expect(outcome).to.equal(end === 'published' ? end : failure.code);
      expect([keyless.count('complete'), keyless.count('head')]).to.deep.equal(
        end === 'published' ? [1, 1] : [0, 0],
      );
      if (end === 'aborted') expect(keyless.left.end()).to.deep.equal({ upload: 'aborted' });
    });

  it('deletes an object that does not match its parts (U14)', async () => {
    const upload = await harness.filled();
    harness.hostile.comparesParts = false;
    for (const open of harness.hostile.uploads.values()) {
      const third = open.parts.get(3);
      if (third) open.parts.set(3, { ...third, body: Buffer.alloc(PART), etag: `"${'0'.repeat(32)}"` });
    }
    expect(await failureOf(upload.complete())).to.include({
      code: 'StoreCorrupted',
      storeCode: 'EtagMismatch',
      retryable: true,
    });
    expect(harness.hostile.objects.has(KEY)).to.equal(false);
    expect(harness.hostile.uploads.size).to.equal(0);
  });
});
