/** Unusable buckets, and stores that expect other headers or corrupt bytes. */
import { expect } from 'chai';
import { body, briefly, failureOf, fill, UploadHarness } from '../store/upload-harness.ts';
import { JobHarness } from './job-harness.ts';

const TEN_SECONDS = 10_000;

describe('an unusable bucket', () => {
  let harness: JobHarness;

  beforeEach(async () => {
    harness = await JobHarness.start();
  });
  afterEach(() => harness[Symbol.asyncDispose]());

  for (const [what, status, code, want] of [
    ['does not exist', 404, 'NoSuchBucket', 'BucketNotFound'],
    ['denies writes', 403, 'AccessDenied', 'BucketAccessDenied'],
    ['is in another region', 301, 'PermanentRedirect', 'BucketMisconfigured'],
    ['is addressed with the wrong region', 400, 'AuthorizationHeaderMalformed', 'BucketMisconfigured'],
    ['gets an unknown key ID', 403, 'InvalidAccessKeyId', 'BucketCredentialsInvalid'],
    ['gets a wrong signature', 403, 'SignatureDoesNotMatch', 'BucketCredentialsInvalid'],
    ['gets an expired credential', 400, 'ExpiredToken', 'BucketCredentialsInvalid'],
  ] as const)
    it(`that ${what} fails the job immediately at its first request, before any source is opened (U17)`, async () => {
      harness.hostile.fault = () => ({ kind: 'response', status, code });
      const startedAt = performance.now();
      expect(await harness.failing()).to.include({ code: want, retryable: false });
      expect(performance.now() - startedAt).to.be.below(TEN_SECONDS);
      expect([harness.hostile.requests.length, harness.sourcesOpened]).to.deep.equal([1, 0]);
      expect(harness.server.writes.at(-1)?.status.failure).to.include({ code: want, retriable: false });
      expect(harness.leftovers).to.deep.equal([0, 0]);
    });
});

describe('a store that refuses the newer checksum headers', () => {
  it('gets only Content-MD5 (U13)', async () => {
    await using harness = await UploadHarness.start({ kind: 'r2' });
    harness.hostile.refusesNewHeaders = true;
    await (await harness.filled()).complete();
    harness.expectPublished();
  });

  it('is reported as misconfigured if the newer checksum is required, and no upload remains (U13)', async () => {
    await using harness = await UploadHarness.start({ kind: 's3' });
    harness.hostile.refusesNewHeaders = true;
    expect(await failureOf(harness.open())).to.include({
      code: 'BucketMisconfigured',
      storeCode: 'NotImplemented',
    });
    harness.expectNothingLeft();
  });
});

for (const kind of ['s3', 'r2', 'custom'] as const)
  describe(`a store of kind ${kind}`, () => {
    let harness: UploadHarness;

    beforeEach(async () => {
      harness = await UploadHarness.start({ kind });
    });
    afterEach(() => harness[Symbol.asyncDispose]());

    function partHeaders() {
      return harness.hostile.requests.filter(({ operation }) => operation === 'part');
    }

    it('gets exactly one checksum with each part (U13) (U14)', async () => {
      await (await harness.filled()).complete();
      harness.expectPublished();
      for (const { headers } of partHeaders())
        expect(Object.keys(headers).filter((name) => /checksum|content-md5/.test(name))).to.deep.equal([
          kind === 's3' ? 'x-amz-checksum-crc32' : 'content-md5',
        ]);
    });

    it('fails the job if it stores a wrong byte, and keeps no upload (U14)', async () => {
      harness.hostile.fault = ({ operation, partNumber }) =>
        operation === 'part' && partNumber === 3 ? { kind: 'corrupt' } : undefined;
      const upload = await harness.open({ settings: briefly });
      expect(await failureOf(fill(upload))).to.include({ code: 'StoreCorrupted' });
      await upload.abandon();
      harness.expectNothingLeft();
    });

    it('gets a part again that it stored with a wrong byte (U14)', async () => {
      harness.hostile.fault = ({ operation, partNumber, nth }) =>
        operation === 'part' && partNumber === 3 && nth === 1 ? { kind: 'corrupt' } : undefined;
      await (await harness.filled()).complete();
      harness.expectPublished();
    });

    it('gets a part again whose checksum it refused (U14)', async () => {
      harness.hostile.fault = ({ operation, nth }) =>
        operation === 'part' && nth === 1 ? { kind: 'response', status: 400, code: 'BadDigest' } : undefined;
      const upload = await harness.filled();
      await upload.complete();
      harness.expectPublished();
      expect(upload.retries).to.equal(Math.ceil(body.length / 65_536));
    });
  });

it('refuses a store that returns no checksum although one was requested (U14)', async () => {
  await using harness = await UploadHarness.start({ kind: 's3' });
  harness.hostile.sumsNothing = true;
  const upload = await harness.open({ settings: briefly });
  expect(await failureOf(fill(upload))).to.include({
    code: 'StoreUnavailable',
    storeCode: 'IncompleteResponse',
  });
  await upload.abandon();
  harness.expectNothingLeft();
});

it('deletes an object whose checksum does not match those of its parts (U14)', async () => {
  await using harness = await UploadHarness.start({ kind: 's3' });
  const upload = await harness.filled();
  harness.hostile.comparesParts = false;
  for (const open of harness.hostile.uploads.values()) {
    const second = open.parts.get(2);
    if (second) open.parts.set(2, { ...second, crc32: 'AAAAAA==' });
  }
  expect(await failureOf(upload.complete())).to.include({ code: 'StoreCorrupted' });
  expect([harness.hostile.objects.size, harness.hostile.uploads.size]).to.deep.equal([0, 0]);
});
