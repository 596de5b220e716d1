/** As many entries as the 16-bit count of the end record can and cannot hold. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { makeArchive } from '../support/make-archive.ts';
import { readZip } from '../support/read-zip.ts';
import { archiveReaders, type ReadEntry, sha256Of } from './readers.ts';
import { requireReader } from './require-reader.ts';

const COUNTS = [65_534, 65_535, 65_536, 70_000] as const;
/** Where every file has to be created on disk, the two sides of the limit must do. */
const ON_DISK: readonly number[] = [65_534, 70_000];

const scratch = await mkdtemp(join(tmpdir(), 'zipjobs-counts-'));
const readers = archiveReaders(scratch);

/** A thousand files a directory. */
const nameOf = (index: number): string => `${Math.floor(index / 1000)}/${index}`;
const order = (a: ReadEntry, b: ReadEntry): number =>
  Number(a.name.split('/')[1]) - Number(b.name.split('/')[1]);

describe('archives of very many entries', () => {
  after(() => rm(scratch, { recursive: true, force: true }));

  for (const count of COUNTS)
    describe(`${count}`, () => {
      const path = join(scratch, `${count}.zip`);
      let wanted: readonly ReadEntry[] = [];
      before(async () => {
        const files = Array.from({ length: count }, (_, index) => ({
          name: nameOf(index),
          body: Buffer.from(String(index)),
          small: true,
        }));
        wanted = files.map(({ name, body }) => ({ name, sha256: sha256Of(body) }));
        const archive = await makeArchive(files, 'store');
        expect(readZip(archive).hasZip64End).to.equal(count > 65_534);
        await writeFile(path, archive);
      });

      for (const reader of readers.filter(({ keepsOrder }) => keepsOrder || ON_DISK.includes(count)))
        it(`are all there in ${reader.name} (Z4, Z15)`, async function () {
          await requireReader(this, reader);
          const entries = await reader.read(path);
          const sorted = reader.keepsOrder ? entries : entries.toSorted(order);
          expect(sorted.length).to.equal(count);
          const differs = sorted.findIndex(
            (found, at) => found.name !== nameOf(at) || found.sha256 !== wanted[at]?.sha256,
          );
          expect(differs).to.equal(-1);
        });
    });
});
