import { expect } from 'chai';
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
  time: toZipTime(new Date('2024-05-06T07:08:09Z')),
} as const;

describe('zip64', () => {
  for (const [count, wide] of [
    [65_534, false],
    [65_535, true],
    [65_536, true],
  ] as const)
    it(`writes ${wide ? 'zip64 and 32-bit' : 'only 32-bit'} end records for ${count} entries (Z4)`, async () => {
      const chunks: Buffer[] = [];
      const archive = createArchive({
        compression: 'store',
        sink: {
          write: (chunk) => {
            chunks.push(Buffer.from(chunk));
            return undefined;
          },
        },
      });
      const body = Buffer.from('x');
      const modified = new Date('2024-05-06T07:08:09Z');
      const empty = async function* (): AsyncGenerator<Uint8Array> {};
      for (let index = 0; index < count; index += 1)
        await archive.add({ name: `${index}`, modified, declaredLength: 1, body: empty(), small: body });
      await archive.finish();
      const { entries, hasZip64End } = readZip(Buffer.concat(chunks));
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

  it('writes zip64 end records if the directory starts beyond 4 GiB (Z4)', () => {
    expect(endRecords({ entries: 1, offset: GIB4 - 2, size: 60 }).length).to.equal(22);
    expect(endRecords({ entries: 1, offset: GIB4 - 1, size: 60 }).length).to.equal(22 + 76);
  });

  describe('with a sink that stores only records', () => {
    const MIB = Buffer.alloc(1024 * 1024);
    async function* zeros(bytes: number): AsyncGenerator<Uint8Array> {
      for (let left = bytes; left > 0; left -= MIB.length)
        yield left >= MIB.length ? MIB : MIB.subarray(0, left);
    }
    const record = async (length: number, declared: number | undefined) => {
      const records: Buffer[] = [];
      const archive = createArchive({
        compression: 'store',
        sink: {
          write: (chunk) => {
            if (chunk[0] === 0x50 && chunk[1] === 0x4b) records.push(Buffer.from(chunk));
            return undefined;
          },
        },
      });
      const entry = { modified: new Date(0), small: undefined };
      await archive.add({ ...entry, name: 'big', declaredLength: declared, body: zeros(length) });
      await archive.add({ ...entry, name: 'next', declaredLength: 1200, body: zeros(1200) });
      await archive.finish();
      return records;
    };

    it('uses zip64 in all records of an entry larger than 4 GiB, and only in the directory for the next (Z3, Z5)', async () => {
      const [local, descriptor, next, nextDescriptor, directory] = await record(GIB4, GIB4);
      expect(local!.readUInt16LE(4)).to.equal(45);
      expect(local!.subarray(18, 26).toString('hex')).to.equal('ff'.repeat(8));
      expect(local!.subarray(33).toString('hex')).to.equal(`01001000${'00'.repeat(16)}`);
      expect(descriptor!.length).to.equal(24);
      expect(Number(descriptor!.readBigUInt64LE(16))).to.equal(GIB4);
      expect([next!.readUInt16LE(4), next!.readUInt16LE(28), nextDescriptor!.length]).to.deep.equal([
        20, 0, 16,
      ]);
      const second = directory!.subarray(46 + 3 + 4 + 16 + 9);
      expect(second.readUInt32LE(42)).to.equal(0xffffffff);
      expect(Number(second.readBigUInt64LE(46 + 4 + 4))).to.be.above(GIB4);
    }).timeout(60_000);

    it('uses zip64 for an entry that exceeds 4 GiB only with its block headers (Z2)', async () => {
      const locals: Buffer[] = [];
      const archive = createArchive({
        compression: 'store',
        sink: {
          write: (chunk) => {
            locals.push(Buffer.from(chunk));
            return undefined;
          },
        },
      });
      const entry = { name: 'big', modified: new Date(0), small: undefined };
      // 65,533 blocks with 5 extra bytes each.
      const most = GIB4 - 2 - 5 * 65_533;
      for (const declaredLength of [most, most + 1])
        await archive.add({ ...entry, body: zeros(0), declaredLength }).catch(() => undefined);
      expect(locals.map((local) => local.readUInt16LE(4))).to.deep.equal([20, 45]);
    });
  });
});
