/** Tests of archives with sizes and offsets around 4 GiB, whose data is planned or real. */
import { expect } from 'chai';
import type { Archive, ArchiveEntry, ArchiveOptions } from '#zipper-image/archive/archive.ts';
import { storedBlocksSize } from '#zipper-image/archive/stored-blocks.ts';
import { MODIFIED } from './make-archive.ts';
import { contentOf, readZip, type ZipBytes, type ZipEntry } from './read-zip.ts';

const GIB4 = 2 ** 32;
/** The largest entry whose size fits into 32 bits together with its 65,533 block headers of 5 bytes. */
const MOST_IN_32_BITS = GIB4 - 2 - 5 * 65_533;

const ZIP64_EVERYWHERE = {
  versionLocal: 45,
  localExtras: [1, 0x5455],
  centralExtras: [1, 0x5455],
  descriptorBytes: 24,
};
const NO_ZIP64 = { versionLocal: 20, localExtras: [0x5455], centralExtras: [0x5455] };
const ONLY_IN_DIRECTORY = { ...NO_ZIP64, centralExtras: [1, 0x5455] };

export type WriteArchive = (
  fill: (archive: Archive) => Promise<unknown>,
  options?: Partial<ArchiveOptions>,
) => Promise<ZipBytes>;

export interface ArchiveWorld {
  /** A body of this number of bytes. */
  readonly bytes: (length: number) => AsyncIterable<Uint8Array>;
  readonly write: WriteArchive;
}

/** Defines them. */
export function testArchivesAround4Gib({ bytes, write }: ArchiveWorld): void {
  function entryOf(size: number, name = 'big'): ArchiveEntry {
    return {
      name,
      modified: MODIFIED,
      declaredLength: size,
      body: bytes(size),
      small: undefined,
    };
  }
  const NEXT: ArchiveEntry = { ...entryOf(4), name: 'next', small: Buffer.from('next') };

  /** An entry that ends exactly at an offset: local header, name, timestamp, blocks, descriptor. */
  function entryUpTo(offset: number): ArchiveEntry {
    for (let nameLength = 1; nameLength < 20; nameLength += 1) {
      const data = offset - 30 - nameLength - 9 - 16;
      const length = data - 5 * Math.ceil(data / 65_540);
      if (storedBlocksSize(length) === data) return entryOf(length, 'x'.repeat(nameLength));
    }
    throw new Error(`no entry ends at ${offset}`);
  }

  /** The entries of an archive of this one and a small one. */
  async function withNext(entry: ArchiveEntry): Promise<readonly [ZipEntry, ZipEntry]> {
    const zip = await write(async (archive) => {
      await archive.add(entry);
      await archive.add(NEXT);
    });
    const { entries, hasZip64End } = readZip(zip);
    expect(hasZip64End).to.equal(true);
    const [first, next] = entries as readonly [ZipEntry, ZipEntry];
    expect(contentOf(next).toString()).to.equal('next');
    return [first, next];
  }

  for (const size of [MOST_IN_32_BITS, MOST_IN_32_BITS + 1, GIB4 - 1, GIB4, GIB4 + 1]) {
    const wide = size > MOST_IN_32_BITS;
    it(`describe an entry of ${size} bytes with${wide ? '' : 'out'} zip64, and the small one behind it with zip64 only in the directory (Z2, Z3, Z4, Z5)`, async () => {
      const [big, next] = await withNext(entryOf(size));
      expect(big).to.include({ size, compressedSize: storedBlocksSize(size) });
      expect(big).to.deep.include(wide ? ZIP64_EVERYWHERE : { ...NO_ZIP64, descriptorBytes: 16 });
      expect(next).to.deep.include(ONLY_IN_DIRECTORY);
    });
  }

  for (const offset of [GIB4 - 2, GIB4 - 1, GIB4, GIB4 + 1])
    it(`describe an entry at ${offset} with${offset > GIB4 - 2 ? ' zip64 only in the directory' : 'out zip64'} (Z4, Z5)`, async () => {
      const [big, next] = await withNext(entryUpTo(offset));
      expect(big).to.deep.include(NO_ZIP64);
      expect(next).to.deep.include({ offset, ...(offset > GIB4 - 2 ? ONLY_IN_DIRECTORY : NO_ZIP64) });
    });

  it('contain no stream without a declared length that reaches 4 GiB with its block headers, unless a setting allows it (Z2, Z3)', async () => {
    async function add(size: number, options?: Partial<ArchiveOptions>) {
      const stream = { ...entryOf(size), declaredLength: undefined };
      const { entries } = readZip(await write((archive) => archive.add(stream), options));
      return entries[0];
    }
    expect(await add(MOST_IN_32_BITS)).to.deep.include({ size: MOST_IN_32_BITS, ...NO_ZIP64 });
    const refused = await add(MOST_IN_32_BITS + 1).catch((error: unknown) => error);
    expect(refused).to.include({ code: 'SourceTooLarge', retryable: false });
    const allowed = await add(GIB4, { zip64ForUnknownLength: true });
    expect(allowed).to.deep.include({ size: GIB4, ...ZIP64_EVERYWHERE });
  });
}
