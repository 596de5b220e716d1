/**
 * Sizes and offsets around 4 GiB, in our parser and in every reader that supports them; on disk they are
 * sparse.
 */
import { createHash } from 'node:crypto';
import { mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { archiveReaders, digestThrough, PIPES } from '#test/readers/readers.ts';
import { MODIFIED } from '#test/support/archives/make-archive.ts';
import { contentOf, readZip } from '#test/support/archives/read-zip.ts';
import { openZipBytes, writeSparseArchive, zeros } from '#test/support/archives/sparse-archive.ts';
import { requirePrograms } from '#test/support/processes/require-programs.ts';
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

const digestOfZeros = async (length: number): Promise<string> => {
  const hash = createHash('sha256');
  for await (const chunk of zeros(length)) hash.update(chunk);
  return hash.digest('hex');
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
    const SIZE = GIB4 + 1;
    let wanted: readonly { readonly name: string; readonly sha256: string }[] = [];
    let whole = '';
    before(async () => {
      await writeSparseArchive(path, async (archive) => {
        await archive.add(ofZeros('big', SIZE));
        await archive.add(next);
      });
      const sha256 = createHash('sha256').update(NEXT).digest('hex');
      wanted = [
        { name: 'big', sha256: await digestOfZeros(SIZE) },
        { name: 'next', sha256 },
      ];
      const all = createHash('sha256');
      for await (const chunk of zeros(SIZE)) all.update(chunk);
      whole = all.update(NEXT).digest('hex');
    });

    const libraries = archiveReaders(tmpdir()).filter(({ keepsOrder }) => keepsOrder);
    for (const { name } of libraries)
      it(`${name} reads an entry beyond 4 GiB and one behind it (Z3, Z5, Z15)`, async function () {
        const reader = archiveReaders(scratch).find((one) => one.name === name)!;
        await requirePrograms(this, reader.needs, reader.probe);
        expect(await reader.read(path)).to.deep.equal(wanted);
      });

    // Neither busybox 1.35 nor unar 1.10 supports 64-bit sizes of an entry; see the ADR about readers.
    for (const pipe of PIPES.filter(({ program }) => program !== 'busybox'))
      it(`${pipe.name} reads an entry beyond 4 GiB and one behind it (Z3, Z5, Z15)`, async function () {
        await requirePrograms(this, [pipe.program]);
        expect(await digestThrough(pipe, path)).to.equal(whole);
      });
  });
});
