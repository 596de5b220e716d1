/**
 * Sizes and offsets around 4 GiB, in our parser and in some readers; on disk they are sparse. `npm run test:extended` has the other
 * readers.
 */
import { mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { readBeyond4Gib, writeBeyond4Gib } from '#test/readers/beyond-4-gib.ts';
import { MODIFIED } from '#test/support/archives/make-archive.ts';
import { contentOf, readZip } from '#test/support/archives/read-zip.ts';
import { openZipBytes, writeSparseArchive, zeros } from '#test/support/archives/sparse-archive.ts';
import { createArchive } from '#zipper-image/archive/archive.ts';
import { storedBlocksSize } from '#zipper-image/archive/entry-encoders.ts';

const GIB4 = 2 ** 32;
const NEXT = Buffer.from('the entry behind it');
const next = { name: 'next', modified: MODIFIED, declaredLength: NEXT.length, body: zeros(0), small: NEXT };
const ofZeros = (name: string, length: number) => ({
  name,
  modified: MODIFIED,
  declaredLength: length,
  body: zeros(length),
  small: undefined,
});

/** An entry that ends exactly at an offset: local header, name, blocks, descriptor. */
const entryUpTo = (offset: number) => {
  for (let nameLength = 1; nameLength < 20; nameLength += 1) {
    const data = offset - 30 - nameLength - 16;
    const length = data - 5 * Math.ceil(data / 65_540);
    if (storedBlocksSize(length) === data) return ofZeros('x'.repeat(nameLength), length);
  }
  throw new Error(`no entry ends at ${offset}`);
};

describe('archives around 4 GiB', () => {
  let scratch = '';
  let path = '';
  before(async () => {
    scratch = await mkdtemp(join(tmpdir(), 'zipjobs-boundaries-'));
    path = join(scratch, 'archive.zip');
  });
  after(() => rm(scratch, { recursive: true, force: true }));

  for (const size of [GIB4 - 1, GIB4, GIB4 + 1])
    it(`contain an entry of ${size} bytes, with zip64 only where that entry needs it (Z3, Z4, Z5)`, async () => {
      await writeSparseArchive(path, async (archive) => {
        await archive.add(ofZeros('big', size));
        await archive.add(next);
      });
      expect((await stat(path)).blocks * 512).to.be.below(512 * 1024 * 1024);
      using bytes = openZipBytes(path);
      const { entries, hasZip64End } = readZip(bytes);
      expect(hasZip64End).to.equal(true);
      expect(entries[0]).to.include({ size, compressedSize: storedBlocksSize(size), versionLocal: 45 });
      expect(entries[0]).to.deep.include({
        localExtras: [1],
        centralExtras: [1, 0x5455],
        descriptorBytes: 24,
      });
      expect(entries[1]).to.deep.include({ versionLocal: 20, localExtras: [], centralExtras: [1, 0x5455] });
      expect(contentOf(entries[1]!).equals(NEXT)).to.equal(true);
    });

  for (const offset of [GIB4 - 2, GIB4 - 1, GIB4, GIB4 + 1])
    it(`contain an entry that starts at ${offset} (Z4, Z5)`, async () => {
      await writeSparseArchive(path, async (archive) => {
        await archive.add(entryUpTo(offset));
        await archive.add(next);
      });
      using bytes = openZipBytes(path);
      const { entries, hasZip64End } = readZip(bytes);
      expect(hasZip64End).to.equal(true);
      expect(entries[0]).to.deep.include({ versionLocal: 20, localExtras: [], centralExtras: [0x5455] });
      expect(entries[1]!.offset).to.equal(offset);
      expect(entries[1]!.centralExtras).to.deep.equal(offset >= GIB4 - 1 ? [1, 0x5455] : [0x5455]);
      expect(contentOf(entries[1]!).equals(NEXT)).to.equal(true);
    });

  it('contain no stream over 4 GiB without a declared length, unless a setting allows it (Z2, Z3)', async () => {
    for (const zip64ForUnknownLength of [false, true]) {
      const archive = createArchive({
        compression: 'store',
        sink: { write: () => undefined },
        zip64ForUnknownLength,
      });
      const entry = { name: 'big', modified: MODIFIED, small: undefined, declaredLength: undefined };
      const outcome = await archive.add({ ...entry, body: zeros(GIB4) }).catch((error: unknown) => error);
      if (zip64ForUnknownLength) expect(outcome).to.include({ size: GIB4 });
      else expect(outcome).to.include({ code: 'SourceTooLarge', retryable: false });
    }
  });

  describe('in other readers', () => {
    let written: Awaited<ReturnType<typeof writeBeyond4Gib>>;
    before(async () => {
      written = await writeBeyond4Gib(path);
    });
    readBeyond4Gib('in every run', () => ({ ...written, scratch, path }));
  });
});
