/** Parts of an upload that the store has from an earlier pod. */
import { randomBytes } from 'node:crypto';
import { crc32 } from 'node:zlib';
import { expect } from 'chai';
import type { AppError } from '#runtime/errors.ts';
import { equalParts } from '#test/support/builders/equal-parts.ts';
import { until } from '#test/support/until.ts';
import type { Part } from '#zipper-image/store/complete-upload.ts';
import { createPartWriter, type PartWriter } from '#zipper-image/store/part-writer.ts';
import { continueUpload, type Upload, type UploadDeps } from '#zipper-image/store/upload.ts';
import { body, failureOf, fill, KEY, PART, settings, UploadHarness } from './upload-harness.ts';

const SIZE = 1000;

interface Writing {
  readonly writer: PartWriter;
  readonly sent: Map<number, Buffer>;
}

function writing(kept: readonly number[], inMemory = 2): Writing {
  const sent = new Map<number, Buffer>();
  const writer = createPartWriter({
    ...equalParts(SIZE, inMemory),
    checksum: 'crc32',
    kept: new Map(kept.map((number) => [number, { bytes: SIZE }])),
    send: async ({ number, body: given, digests }) => {
      const bytes = Buffer.concat(given);
      expect(digests).to.deep.equal({ kind: 'crc32', crc32: crc32(bytes) });
      sent.set(number, bytes);
    },
  });
  return { writer, sent };
}

async function codeOf(work: () => unknown): Promise<string> {
  try {
    await work();
  } catch (error) {
    return (error as AppError).code;
  }
  return 'none';
}

describe('kept parts', () => {
  it('are counted, and take no memory and no request', async () => {
    const { writer, sent } = writing([1, 2, 4]);
    expect([writer.keptAhead(), writer.nextPart, writer.freshAhead()]).to.deep.equal([SIZE, 1, 0]);
    writer.skip(1500);
    expect([writer.keptAhead(), writer.nextPart]).to.deep.equal([500, 2]);
    writer.skip(500);
    expect([writer.keptAhead(), writer.nextPart, writer.blocksAllocated]).to.deep.equal([0, 3, 0]);
    expect(writer.freshAhead()).to.equal(SIZE);
    await writer.write(Buffer.alloc(SIZE, 1));
    writer.skip(SIZE);
    expect(writer.freshAhead()).to.equal(Infinity);
    await writer.write(Buffer.from('end'));
    await writer.finish();
    expect([...sent.keys()]).to.deep.equal([3, 5]);
    expect([writer.bytesWritten, writer.partsStarted]).to.deep.equal([4003, 5]);
  });

  it('drop what is written again, in chunks of any size', async () => {
    const bytes = randomBytes(6 * SIZE + 123);
    for (const size of [1, 7, 999, 1000, 1001, 2500, 7000]) {
      const { writer, sent } = writing([2, 3, 6]);
      for (let at = 0; at < bytes.length; at += size) {
        const chunk = bytes.subarray(at, at + size);
        await writer.rewrite(chunk);
      }
      await writer.finish();
      expect(
        [...sent.keys()].toSorted((a, b) => a - b),
        `size ${size}`,
      ).to.deep.equal([1, 4, 5, 7]);
      for (const [number, part] of sent)
        expect(part.equals(bytes.subarray((number - 1) * SIZE, number * SIZE))).to.equal(true);
      expect(writer.bytesWritten).to.equal(bytes.length);
    }
  });

  it('are not touched by the empty body of a file in front of them', async () => {
    const { writer, sent } = writing([2]);
    await writer.write(Buffer.alloc(SIZE));
    await writer.write(Buffer.alloc(0));
    expect(writer.partsStarted).to.equal(1);
    writer.skip(SIZE);
    await writer.finish();
    expect([...sent.keys()]).to.deep.equal([1]);
  });

  it('are not overwritten by other bytes, and nothing else is left out', async () => {
    for (const work of [
      ({ writer }: Writing) => writer.write(Buffer.alloc(SIZE + 1)),
      async ({ writer }: Writing) => {
        await writer.write(Buffer.alloc(SIZE));
        await writer.reserve(10);
      },
      async ({ writer }: Writing) => {
        await writer.write(Buffer.alloc(SIZE));
        writer.skip(100);
        await writer.write(Buffer.alloc(1));
      },
      ({ writer }: Writing) => writer.skip(1),
      async ({ writer }: Writing) => {
        await writer.write(Buffer.alloc(SIZE));
        writer.skip(SIZE + 1);
      },
    ]) {
      const made = writing([2]);
      expect(await codeOf(() => work(made))).to.equal('SourceChanged');
      expect(await codeOf(() => made.writer.finish())).to.equal('SourceChanged');
    }
  });

  it('have the planned size, and no reader of all bytes', () => {
    const options = { ...equalParts(SIZE, 2), checksum: 'crc32', send: async () => undefined } as const;
    expect(() => createPartWriter({ ...options, kept: new Map([[1, { bytes: 999 }]]) })).to.throw(RangeError);
    const kept = new Map([[1, { bytes: SIZE }]]);
    expect(() => createPartWriter({ ...options, kept, onBytes: () => undefined })).to.throw(TypeError);
  });
});

describe('continueUpload', () => {
  let harness: UploadHarness;

  beforeEach(async () => {
    harness = await UploadHarness.start();
  });
  afterEach(() => harness[Symbol.asyncDispose]());

  /** An upload of another pod, which has sent the first parts. */
  async function leftBehind(parts: number, change: Partial<UploadDeps> = {}): Promise<Upload> {
    const upload = await harness.open({ attempt: 'pod-0', ...change });
    for (let at = 0; at < parts * PART; at += 10_000)
      await upload.sink.write(body.subarray(at, Math.min(at + 10_000, parts * PART)));
    await until('the parts to be confirmed', async () => upload.confirmedParts().length === parts);
    return upload;
  }

  function takeOver(upload: Upload, numbers: readonly number[]): Upload {
    const parts = new Map<number, Part>(
      upload
        .confirmedParts()
        .filter(({ number }) => numbers.includes(number))
        .map((part) => [part.number, part]),
    );
    const inherited = { uploadId: upload.uploadId, owner: 'pod-0', parts, partChecksum: 'crc32' } as const;
    return continueUpload(harness.deps(), inherited);
  }

  it('sends only the other parts, and publishes the archive of the pod that started it', async () => {
    const upload = takeOver(await leftBehind(4), [1, 3, 4]);
    expect(upload.bytesUploaded).to.equal(3 * PART);
    const sentBefore = harness.count('part');
    const { sink } = upload;
    sink.skip(PART);
    await sink.write(body.subarray(PART, 2 * PART));
    sink.skip(2 * PART);
    await sink.write(body.subarray(4 * PART));
    expect(await upload.finishParts()).to.equal(6);
    expect(harness.count('part') - sentBefore).to.equal(3);
    expect(upload.confirmedParts().map(({ number }) => number)).to.deep.equal([1, 2, 3, 4, 5, 6]);
    expect(upload.bytesUploaded).to.equal(body.length);
    await upload.complete();
    expect(harness.count('create')).to.equal(1);
    expect(harness.hostile.objects.get(KEY)?.body.equals(body)).to.equal(true);
    expect(harness.hostile.objects.get(KEY)?.metadata).to.deep.equal({ 'zip-attempt': 'pod-0' });
  });

  it('sends parts with the checksum of the upload, also if none is kept', async () => {
    const left = await leftBehind(2);
    // As the store of another process, which has created no upload.
    harness.store.continueUpload('md5');
    takeOver(left, []);
    expect(harness.store.partChecksum).to.equal('crc32');
  });

  it('is not complete if the archive ends before a kept part', async () => {
    const upload = takeOver(await leftBehind(4), [4]);
    await upload.sink.write(body.subarray(0, 2 * PART));
    expect(await failureOf(upload.finishParts())).to.include({ code: 'StoreCorrupted', retryable: true });
  });

  it('refuses the SHA-256 of all bytes', async () => {
    const { uploadId } = await leftBehind(1);
    const parts = new Map<number, Part>();
    const inherited = { uploadId, owner: 'pod-0', parts, partChecksum: 'crc32' } as const;
    expect(() => continueUpload({ ...harness.deps(), sha256: true }, inherited)).to.throw(TypeError);
  });

  it('can be aborted like any other upload', async () => {
    const upload = takeOver(await leftBehind(2), [1, 2]);
    await upload.abandon();
    harness.expectNothingLeft();
  });

  it('is kept with the parts that are being sent, when nothing else is sent any more', async () => {
    const gate = Promise.withResolvers<void>();
    const cancel = new AbortController();
    harness.hostile.fault = ({ operation, partNumber }) =>
      operation === 'part' && partNumber === 2 ? { kind: 'hold', until: gate.promise } : undefined;
    const upload = await harness.open({ signal: cancel.signal });
    await upload.sink.write(body.subarray(0, 2 * PART + 100));
    await until('two parts to be sent', async () => harness.count('part') === 2);
    cancel.abort(new Error('stopped'));
    const kept = upload.keep(10_000);
    gate.resolve();
    await kept;
    expect(upload.confirmedParts().map(({ number }) => number)).to.deep.equal([1, 2]);
    expect([harness.count('part'), harness.count('abort')]).to.deep.equal([2, 0]);
    expect(harness.hostile.uploads.size).to.equal(1);
  });

  it('is kept without the parts that take too long', async () => {
    const gate = Promise.withResolvers<void>();
    harness.hostile.fault = ({ operation }) =>
      operation === 'part' ? { kind: 'hold', until: gate.promise } : undefined;
    const upload = await harness.open();
    await upload.sink.write(body.subarray(0, PART));
    await until('a part to be sent', async () => harness.count('part') === 1);
    await upload.keep(1);
    expect(upload.confirmedParts()).to.deep.equal([]);
    expect([harness.count('abort'), harness.hostile.uploads.size]).to.deep.equal([0, 1]);
    gate.resolve();
  });

  it('does not repeat a part when it is kept', async () => {
    harness.hostile.fault = ({ operation }) =>
      operation === 'part' ? { kind: 'response', status: 503, code: 'SlowDown' } : undefined;
    const upload = await harness.open({
      settings: { ...settings, storeRetryBaseMs: 10_000, storeRetryMaxMs: 10_000 },
    });
    await upload.sink.write(body.subarray(0, PART));
    await until('a part to be sent', async () => harness.count('part') === 1);
    await upload.keep(10_000);
    expect(harness.count('part')).to.equal(1);
    expect(await failureOf(fill(upload))).to.have.property('name', 'AbortError');
  });
});
