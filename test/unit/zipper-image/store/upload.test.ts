import { createHash, randomBytes } from 'node:crypto';
import { expect } from 'chai';
import { body, failureOf, fill, KEY, PART, settings, UploadHarness } from './upload-harness.ts';

describe('createUpload', () => {
  let harness: UploadHarness;

  beforeEach(async () => {
    harness = await UploadHarness.start();
  });
  afterEach(() => harness[Symbol.asyncDispose]());

  it('publishes the bytes, with the attempt as metadata, and counts confirmed bytes', async () => {
    const upload = await harness.open();
    expect(await fill(upload)).to.equal(6);
    expect(upload.bytesUploaded).to.equal(body.length);
    expect(await upload.complete()).to.include({ bytes: body.length });
    harness.expectPublished();
  });

  for (const [what, bytes, parts] of [
    ['less than a part', 1234, 1],
    ['exactly one part', PART, 1],
    ['exactly two parts', 2 * PART, 2],
    ['two parts and a byte', 2 * PART + 1, 3],
  ] as const)
    it(`splits ${what} into equal parts and a last one that is not larger (U2)`, async () => {
      const upload = await harness.open();
      expect(await fill(upload, body.subarray(0, bytes), 7777)).to.equal(parts);
      const sizes = [...harness.hostile.uploads.values()].flatMap((open) =>
        [...open.parts].sort(([a], [b]) => a - b).map(([, part]) => part.body.length),
      );
      expect(sizes.slice(0, -1).every((size) => size === PART)).to.equal(true);
      expect(sizes.at(-1)).to.be.within(1, PART);
      await upload.complete();
      harness.expectPublished(body.subarray(0, bytes));
    });

  it('fails on a test store with unequal parts (U2)', async () => {
    const ref = { key: KEY, uploadId: await harness.store.createUpload(KEY, 'pod-1') };
    const sent = [];
    for (const [index, bytes] of [body.subarray(0, 10), body.subarray(0, 20)].entries()) {
      const md5 = createHash('md5').update(bytes).digest();
      const part = {
        number: index + 1,
        bytes: bytes.length,
        body: [bytes],
        digests: { kind: 'md5', md5 },
      } as const;
      sent.push(await harness.store.uploadPart(ref, part));
    }
    expect(
      await failureOf(harness.store.completeUpload(ref, sent, { onConflict: 'replace', limitMs: 15_000 })),
    ).to.include({
      code: 'StoreCorrupted',
      storeCode: 'InvalidPart',
    });
  });

  it('uses a multipart upload even for a few bytes (U7)', async () => {
    const upload = await harness.open();
    expect(await fill(upload, Buffer.from('tiny'))).to.equal(1);
    await upload.complete();
    const operations = harness.hostile.requests.map(({ operation }) => operation);
    // The last one shows that the object is ours.
    expect(operations).to.deep.equal(['create', 'part', 'complete', 'head']);
  });

  it('calculates the SHA-256 of the archive if requested', async () => {
    const upload = await harness.filled({ sha256: true });
    expect(upload.sha256).to.equal(createHash('sha256').update(body).digest('hex'));
    expect((await harness.filled()).sha256).to.equal(undefined);
  });

  it('refuses an archive that cannot fit before it is sent, and names the limiting setting (U3)', async () => {
    const upload = await harness.open({ settings: { ...settings, maxArchiveBytes: 100_000 } });
    expect(() => upload.assertFits(100_000)).not.to.throw();
    expect(() => upload.assertFits(100_001))
      .to.throw(/archiveBytes of its class/)
      .with.property('code', 'ArchiveTooLarge');
    const parts = await harness.open();
    expect(() => parts.assertFits(10_000 * PART)).not.to.throw();
    expect(() => parts.assertFits(10_000 * PART + 1))
      .to.throw(/10000 parts of at most 65536 bytes/)
      .with.property('code', 'ArchiveTooLarge');
  });

  it('refuses a write that needs part 10,001 before it sends any part (U1) (U3)', async () => {
    const upload = await harness.open({ settings: { ...settings, partSizeBytes: 16 } });
    expect(() => upload.sink.write(Buffer.alloc(160_001)))
      .to.throw()
      .with.property('code', 'ArchiveTooLarge');
    await upload.abandon();
    expect(harness.count('part')).to.equal(0);
    harness.expectNothingLeft();
  });

  it('refuses a key that is too long in bytes before it sends a request (U1)', async () => {
    expect(await failureOf(harness.open({ key: 'é'.repeat(513) }))).to.include({ code: 'InvalidTask' });
    expect(harness.hostile.requests.length).to.equal(0);
    await (await harness.open({ key: 'é'.repeat(512) })).abandon();
  });

  it('refuses an invalid part size before it sends a request (U1)', async () => {
    const large = { ...settings, partSizeBytes: 5 * 1024 ** 3 + 1 };
    expect(await failureOf(harness.open({ settings: large }))).to.include({ code: 'InvalidTask' });
    expect(harness.hostile.requests.length).to.equal(0);
  });

  it('rejects writes and finishParts with the error of a failed part (U5)', async () => {
    harness.hostile.fault = ({ operation, partNumber }) =>
      operation === 'part' && partNumber === 2
        ? { kind: 'response', status: 403, code: 'AccessDenied' }
        : undefined;
    const upload = await harness.open();
    const error = await failureOf(fill(upload));
    expect(error).to.include({ code: 'BucketAccessDenied', httpStatus: 403 });
    expect(harness.failures).to.deep.equal([error]);
    expect(await failureOf(upload.finishParts())).to.equal(error);
    expect(harness.count('complete')).to.equal(0);
    await upload.abandon();
    harness.expectNothingLeft();
  });

  it('can be abandoned before the first part: no object appears (U5) (U6)', async () => {
    const upload = await harness.open();
    await upload.sink.write(Buffer.from('few bytes'));
    await upload.abandon();
    expect(harness.count('part')).to.equal(0);
    harness.expectNothingLeft();
  });

  it('can be abandoned between two parts: no part remains (U5) (U6)', async () => {
    const upload = await harness.open();
    await upload.sink.write(body.subarray(0, 3 * PART));
    await upload.abandon();
    harness.expectNothingLeft();
  });

  it('does not publish an archive if the store loses a part (U5)', async () => {
    const upload = await harness.filled();
    for (const open of harness.hostile.uploads.values()) open.parts.delete(3);
    expect(await failureOf(upload.complete())).to.include({
      code: 'StoreCorrupted',
      storeCode: 'InvalidPart',
    });
    await upload.abandon();
    harness.expectNothingLeft();
  });

  it('copies its chunks, so the caller may reuse its buffer (U4)', async () => {
    const upload = await harness.open();
    const shared = Buffer.alloc(8192);
    const bytes = randomBytes(3 * PART + 5);
    for (let at = 0; at < bytes.length; at += shared.length) {
      const length = bytes.copy(shared, 0, at, at + shared.length);
      await upload.sink.write(shared.subarray(0, length));
    }
    await upload.finishParts();
    await upload.complete();
    harness.expectPublished(bytes);
  });
});
