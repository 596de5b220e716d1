/** Counts, sizes and offsets around the limits of 16 and 32 bits. The data of large entries is only planned. */
import { expect } from 'chai';
import { testArchivesAround4Gib } from '#test/support/archives/archives-around-4-gib.ts';
import { ignoringSink } from '#test/support/archives/in-order-sink.ts';
import { MODIFIED, makeArchive } from '#test/support/archives/make-archive.ts';
import { plannedBytes, writePlannedArchive } from '#test/support/archives/planned-archive.ts';
import { readZip } from '#test/support/archives/read-zip.ts';
import { createArchive } from '#zipper-image/archive/archive.ts';
import { directoryHeader, endRecords } from '#zipper-image/archive/zip-records.ts';
import { toZipTime } from '#zipper-image/archive/zip-time.ts';

const GIB4 = 2 ** 32;
const head = {
  name: Buffer.from('a'),
  method: 8,
  streamed: true,
  zip64: false,
  time: toZipTime(MODIFIED),
} as const;
const big = { name: 'big', modified: MODIFIED, small: undefined };

describe('zip64', () => {
  for (const [count, wide] of [
    [65_534, false],
    [65_535, true],
    [65_536, true],
  ] as const)
    it(`writes ${wide ? 'zip64 and 32-bit' : 'only 32-bit'} end records for ${count} entries (Z4)`, async () => {
      const body = Buffer.from('x');
      const files = Array.from({ length: count }, (_, index) => ({ name: `${index}`, body, small: true }));
      const { entries, hasZip64End } = readZip(await makeArchive(files, 'store'));
      expect(entries.length).to.equal(count);
      expect(hasZip64End).to.equal(wide);
    }).timeout(60_000);

  for (const [offset, extras] of [
    [GIB4 - 2, ''],
    [GIB4 - 1, '01000800ffffffff00000000'],
    [GIB4, '010008000000000001000000'],
    [GIB4 + 1, '010008000100000001000000'],
  ] as const)
    it(`writes an offset of ${offset} ${extras === '' ? 'in 32 bits' : 'in the zip64 field'} (Z4, Z5)`, () => {
      const record = directoryHeader(head, { crc: 1, compressedSize: 2, size: 3 }, offset);
      expect(record.readUInt32LE(42)).to.equal(Math.min(offset, GIB4 - 1));
      expect(record.readUInt16LE(6)).to.equal(extras === '' ? 20 : 45);
      expect(record.subarray(47).toString('hex')).to.match(new RegExp(`^${extras}55540500`));
    });

  it('writes zip64 end records if the directory starts at 4 GiB or is as large (Z4)', () => {
    for (const field of ['offset', 'size'] as const)
      for (const [value, bytes] of [
        [GIB4 - 2, 22],
        [GIB4 - 1, 22 + 76],
      ] as const)
        expect(endRecords({ entries: 1, offset: 60, size: 60, [field]: value }).length).to.equal(bytes);
  });

  it('writes no sizes into the local header of a streamed entry with zip64 (Z3)', async () => {
    const entry = { ...big, declaredLength: GIB4, body: plannedBytes(GIB4) };
    const zip = await writePlannedArchive((archive) => archive.add(entry));
    expect(zip.subarray(18, 26).toString('hex')).to.equal('ff'.repeat(8));
    expect(zip.subarray(33, 53).toString('hex')).to.equal(`01001000${'00'.repeat(16)}`);
  });

  for (const [size, field] of [
    [GIB4 - 2, ''],
    [GIB4 - 1, '01001000ffffffff00000000ffffffff00000000'],
    [GIB4, '0100100000000000010000000000000001000000'],
  ] as const)
    it(`writes both sizes of ${size} bytes into an exact local header (Z3)`, async () => {
      const entry = { ...big, declaredLength: size, crc32: 7, body: plannedBytes(size) };
      const zip = await writePlannedArchive((archive) => archive.add(entry));
      const inField = field === '' ? (GIB4 - 2).toString(16) : 'ffffffff';
      const sizes = Buffer.from(inField, 'hex').reverse().toString('hex');
      expect(zip.subarray(4, 10).toString('hex')).to.equal(field === '' ? '140000000000' : '2d0000000000');
      expect(zip.subarray(14, 26).toString('hex')).to.equal(`07000000${sizes}${sizes}`);
      expect(zip.subarray(33, 33 + field.length / 2 + 4).toString('hex')).to.equal(`${field}55540500`);
    });

  it('refuses a stream without a declared length when it reaches 4 GiB, before it writes more (Z2)', async () => {
    let written = 0;
    function write(chunk: Uint8Array): undefined {
      written += chunk.length;
    }
    const sink = Object.assign(ignoringSink(), { write });
    const archive = createArchive({ compression: 'store', sink });
    const stream = { ...big, declaredLength: undefined, body: plannedBytes(GIB4 - 1) };
    const outcome: unknown = await archive.add(stream).catch((error: unknown) => error);
    expect(outcome).to.include({ code: 'SourceTooLarge', retryable: false });
    expect(written).to.equal(30 + 'big'.length + 9);
  });

  describe('in archives around 4 GiB', () => {
    testArchivesAround4Gib({ bytes: plannedBytes, write: writePlannedArchive });
  });
});
