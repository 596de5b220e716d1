/** Every kind of archive that the zipper writes, byte for byte, in every reader. */
import { randomBytes } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { makeArchive } from '#test/support/archives/make-archive.ts';
import { contentOf, readZip } from '#test/support/archives/read-zip.ts';
import { requirePrograms } from '#test/support/processes/require-programs.ts';
import { archiveKinds } from './archive-kinds.ts';
import { type ArchiveReader, archiveReaders, type ReadEntry, sha256Of } from './readers.ts';

const NUMBER_OF_READERS = 15;

const byName = (entries: readonly ReadEntry[]): readonly ReadEntry[] =>
  entries.toSorted((a, b) => (a.name < b.name ? -1 : 1));

const nested = await makeArchive(
  [
    { name: 'inner.bin', body: randomBytes(100_000) },
    { name: 'inner.txt', body: Buffer.from('inner'), small: true },
  ],
  'store',
);
const scratch = await mkdtemp(join(tmpdir(), 'zipjobs-readers-'));
const readers = archiveReaders(scratch);

describe('archives in other readers', () => {
  after(() => rm(scratch, { recursive: true, force: true }));

  it(`are read by ${NUMBER_OF_READERS} readers (Z15)`, () => {
    expect(readers).to.have.length(NUMBER_OF_READERS);
  });

  for (const kind of archiveKinds(nested))
    describe(kind.name, () => {
      const path = join(scratch, `${kind.name.replaceAll(/\W+/g, '-')}.zip`);
      const wanted = kind.files.map(({ name, body }) => ({ name, sha256: sha256Of(body) }));
      before(async () => writeFile(path, await makeArchive(kind.files, kind.compression, kind.options)));

      it('can be read by our own strict parser (Z15)', async () => {
        const { entries } = readZip(await makeArchive(kind.files, kind.compression, kind.options));
        expect(
          entries.map((entry) => ({ name: entry.name, sha256: sha256Of(contentOf(entry)) })),
        ).to.deep.equal(wanted);
      });

      for (const reader of readers.filter(({ name }) => kind.notReadBy?.includes(name) !== true))
        it(`can be read by ${reader.name} byte for byte (Z10, Z15, Z17, H3)`, async function () {
          await requirePrograms(this, reader.needs, reader.probe);
          await expectSame(reader, path, wanted);
        });
    });
});

const expectSame = async (
  reader: ArchiveReader,
  path: string,
  wanted: readonly ReadEntry[],
): Promise<void> => {
  const found = await reader.read(path);
  const onDisk = ({ name, sha256 }: ReadEntry): ReadEntry => ({
    name: reader.composesNames === true ? name.normalize('NFC') : name,
    sha256,
  });
  if (reader.keepsOrder) expect(found).to.deep.equal(wanted);
  else expect(byName(found)).to.deep.equal(byName(wanted.map(onDisk)));
};
