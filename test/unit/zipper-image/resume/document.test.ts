/** The name of a property test contains its seed: DOCUMENT_SEED=<seed> repeats it. */
import { crc32 } from 'node:zlib';
import { expect } from 'chai';
import { FAILURE_CODES, type FailureCode } from '#crds/exit-codes.ts';
import { MOST_RECORDS_LENGTH } from '#crds/zip-checkpoint.ts';
import { MOST_FILES } from '#crds/zip-job.ts';
import { MOST_PARTS } from '#runtime/zip-request/part-sizes.ts';
import { largeRecords } from '#test/support/builders/large-records.ts';
import { createRandom, type Random } from '#test/support/random.ts';
import { sized } from '#test/support/sized.ts';
import { DocumentError, decodeRecords, encodeRecords } from '#zipper-image/resume/document.ts';
import type { FileRecord, PartRecord, Records } from '#zipper-image/resume/types.ts';
import { aFile, someRecords } from './generate-records.ts';

const seed = Number(process.env['DOCUMENT_SEED'] ?? Date.now() % 1_000_000_000);
const PLAIN: FileRecord = { lengthUnverified: false, contentEncoded: false };
const ENTRY = {
  form: 'whole',
  method: 8,
  bytes: 100,
  size: 10,
  compressedSize: 15,
  time: 1,
  crc: 2,
} as const;
const PART: PartRecord = { number: 1, bytes: 8, etagDigest: 3, crc32: 4 };

async function roundTrip(records: Records): Promise<Records> {
  return decodeRecords(await encodeRecords(records));
}

function faultOf(text: string): DocumentError {
  try {
    decodeRecords(text);
  } catch (error) {
    if (error instanceof DocumentError) return error;
    throw error;
  }
  throw new Error('the text was read');
}

/** A document with this content, whose CRC-32 is right. */
function sealed(content: Uint8Array): string {
  const crc = Buffer.alloc(4);
  crc.writeUInt32BE(crc32(content));
  return Buffer.concat([content, crc]).toString('base64');
}

/** Reads a forged document, which must fail in the one way, or be records that are the same after another round. */
async function readForged(text: string): Promise<void> {
  let records: Records;
  try {
    records = decodeRecords(text);
  } catch (error) {
    expect(error).to.be.instanceOf(DocumentError);
    return;
  }
  expect(await roundTrip(records)).to.deep.equal(records);
}

function flipBit(bytes: Buffer, random: Random): Buffer {
  const changed = Buffer.from(bytes);
  const at = random.int(0, bytes.length - 1);
  changed[at] = (changed[at] ?? 0) ^ (1 << random.int(0, 7));
  return changed;
}

describe('the document of records', () => {
  it('has no files and no parts', async () => {
    expect(await roundTrip({ files: [], parts: [] })).to.deep.equal({ files: [], parts: [] });
  });

  it('has skipped and replaced files with every failure code', async () => {
    const codes = Object.keys(FAILURE_CODES) as FailureCode[];
    const files = codes.flatMap((code): FileRecord[] => [
      { ...PLAIN, failure: { code } },
      { ...PLAIN, failure: { code, httpStatus: 404 }, entry: ENTRY },
    ]);
    expect(await roundTrip({ files, parts: [] })).to.deep.equal({ files, parts: [] });
  });

  it('has sizes of 5 TiB, unfinished entries with segments in every other part, and the last part', async () => {
    const size = 5 * 2 ** 40;
    const segments = Array.from({ length: MOST_PARTS / 2 }, (_, index) => ({
      part: 2 * index + 2,
      crc: index,
    }));
    const entry = {
      form: 'placed',
      method: 8,
      bytes: size + 2 ** 30,
      size,
      compressedSize: size + 2 ** 29,
    } as const;
    const files: FileRecord[] = [
      { ...PLAIN, entry: { ...entry, time: 0xffff_ffff, segments }, validator: '"\u0001~\u007f"' },
    ];
    const parts = [{ ...PART, number: MOST_PARTS, bytes: 5 * 2 ** 30 }];
    expect(await roundTrip({ files, parts })).to.deep.equal({ files, parts });
  });

  it(`is the same after encoding and decoding generated records (DOCUMENT_SEED=${seed})`, async () => {
    const random = createRandom(seed);
    for (let run = 0; run < sized(300, 3000); run += 1) {
      const records = someRecords(random);
      expect(await roundTrip(records)).to.deep.equal(records);
    }
  });

  it('lets other work run while many files and parts are encoded', async () => {
    let turns = 0;
    const immediate = {
      next: setImmediate(function count() {
        turns += 1;
        immediate.next = setImmediate(count);
      }),
    };
    await encodeRecords(largeRecords({}));
    clearImmediate(immediate.next);
    expect(turns).to.be.at.least(30);
  });

  for (const [name, records] of Object.entries<Records>({
    'parts that do not ascend': { files: [], parts: [PART, PART] },
    'a part without a number': { files: [], parts: [{ ...PART, number: 0 }] },
    'a part above the maximum': { files: [], parts: [{ ...PART, number: MOST_PARTS + 1 }] },
    'a CRC with a sign': { files: [], parts: [{ ...PART, crc32: -1 }] },
    'an entry that is smaller than its data': {
      files: [{ ...PLAIN, entry: { ...ENTRY, bytes: 14 } }],
      parts: [],
    },
    'a SHA-256 of another length': {
      files: [{ ...PLAIN, entry: { ...ENTRY, sha256: Buffer.alloc(31) } }],
      parts: [],
    },
    'a size that is no number': { files: [{ ...PLAIN, entry: { ...ENTRY, size: Number.NaN } }], parts: [] },
    'too many files': { files: Array.from({ length: MOST_FILES + 1 }, () => PLAIN), parts: [] },
  }))
    it(`is not made of ${name}`, async () => {
      expect(await encodeRecords(records).catch((error: unknown) => error)).to.be.instanceOf(RangeError);
    });
});

describe('the length of the document', () => {
  for (const { name, given, most } of [
    { name: '10,000 files and 10,000 parts', given: {}, most: 330_000 },
    { name: '10,000 files with a SHA-256 and 10,000 parts', given: { sha256: true }, most: 760_000 },
    { name: '1 file of 10,000 segments', given: { files: 1, segments: true }, most: 170_000 },
  ])
    it(`is at most ${most} characters with ${name}`, async () => {
      const records = largeRecords(given);
      const text = await encodeRecords(records);
      expect(text.length).to.be.at.most(most);
      expect(text.length).to.be.below((MOST_RECORDS_LENGTH * 2) / 3);
      expect(decodeRecords(text)).to.deep.equal(records);
    });
});

describe('a forged document', () => {
  it('is refused as another plan if it has another version', async () => {
    const bytes = Buffer.from(await encodeRecords({ files: [], parts: [] }), 'base64');
    bytes[0] = 2;
    expect(faultOf(bytes.toString('base64'))).to.include({ refusal: 'OtherPlan' });
  });

  it('is refused if a bit differs', async () => {
    const random = createRandom(seed);
    const bytes = Buffer.from(await encodeRecords({ files: [aFile(random)], parts: [PART] }), 'base64');
    for (let bit = 0; bit < 8 * bytes.length; bit += 1) {
      const changed = Buffer.from(bytes);
      changed[bit >> 3] = (changed[bit >> 3] ?? 0) ^ (1 << (bit & 7));
      expect(faultOf(changed.toString('base64')).refusal).to.equal(bit < 8 ? 'OtherPlan' : 'NoCheckpoint');
    }
  });

  for (const [name, text] of Object.entries({
    'no text': '',
    'a text that is not base64': 'AQAAAAAAAA-_',
    'base64 with a line break': 'AQAA\nAAA',
    'base64 without its end': 'AQAAAAAAA',
    'too few bytes': 'AQAA',
    'a text above the maximum': 'A'.repeat(MOST_RECORDS_LENGTH + 4),
    'another CRC-32': Buffer.from([1, 0, 0, 0, 0, 0, 0, 0]).toString('base64'),
    'bytes behind the last part': sealed(Uint8Array.from([1, 0, 0, 0, 0])),
    'more files than bytes': sealed(Uint8Array.from([1, 0, 0x8f, 0x4e, 0])),
    'more files than any job has': sealed(
      Buffer.concat([Buffer.from([1, 0, 0x91, 0x4e]), Buffer.alloc(10_002)]),
    ),
    'a number without an end': sealed(Buffer.alloc(100, 0xff).fill(1, 0, 1)),
    'an unknown failure code': sealed(Buffer.from('\u0001\u0001\u0004Nope\u0000\u0000')),
    'a failure that is in no list': sealed(Uint8Array.from([1, 0, 1, 0x80, 2, 0, 0])),
    'a segment in more parts than there are': sealed(
      Uint8Array.from([1, 0, 1, 0xb6, 1, 0, 0, 0, 1, 0, 0xff, 0xff, 3, 0, 0, 0, 0]),
    ),
    'more parts than bytes': sealed(Uint8Array.from([1, 0, 0, 1, 0, 0x90, 0x4e, 8, 1, 0, 0, 0, 0])),
    'an entry of a negative size': sealed(Uint8Array.from([1, 0, 1, 0x35, 0, 1, 5, 0, 0])),
  }))
    it(`is refused if it is ${name}`, () => {
      expect(faultOf(text)).to.include({ refusal: 'NoCheckpoint', retryable: false });
    });

  it(`is refused, or is records, whatever its bytes are (DOCUMENT_SEED=${seed})`, async () => {
    const random = createRandom(seed);
    for (let run = 0; run < sized(3000, 100_000); run += 1) {
      const bytes = Array.from({ length: random.int(0, 200) }, () => random.int(0, 255) >> random.int(0, 8));
      await readForged(sealed(Uint8Array.from([1, ...bytes])));
    }
  });

  it(`is refused, or is records, if bits of a document differ and its CRC-32 is right (DOCUMENT_SEED=${seed})`, async () => {
    const random = createRandom(seed);
    for (let run = 0; run < sized(50, 1000); run += 1) {
      const whole = Buffer.from(await encodeRecords(someRecords(random)), 'base64').subarray(0, -4);
      for (let flip = 0; flip < 20; flip += 1) {
        const changed = flipBit(whole, random);
        await readForged(sealed(changed));
        await readForged(sealed(changed.subarray(0, random.int(1, changed.length))));
      }
    }
  });
});
