/** Numbers of entries below and above the 16-bit count of the end record. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { makeArchive } from '#test/support/archives/make-archive.ts';
import { readZip } from '#test/support/archives/read-zip.ts';
import { requirePrograms } from '#test/support/processes/require-programs.ts';
import { sized } from '#test/support/sized.ts';
import { archiveReaders, digestThrough, PIPES, type ReadEntry, sha256Of } from './readers.ts';

/**
 * The first is the smallest that a reader without zip64 end records cannot read. test/unit/zipper-image/archive/zip64.test.ts has the
 * limit itself in our parser.
 */
const COUNTS = [65_536, 65_534, 65_535, 70_000].slice(0, sized(1, 4));

const scratch = await mkdtemp(join(tmpdir(), 'zipjobs-counts-'));
const readers = archiveReaders(scratch);

/** A thousand files per directory. */
function nameOf(index: number): string {
  return `${Math.floor(index / 1000)}/${index}`;
}

describe('archives with very many entries', () => {
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

      for (const reader of readers.filter(({ keepsOrder }) => keepsOrder))
        it(`are complete in ${reader.name} (Z4, Z15)`, async function () {
          await requirePrograms(this, reader.needs, reader.probe);
          const found = await reader.read(path);
          expect(found.length).to.equal(count);
          const differs = found.findIndex(
            (entry, at) => entry.name !== nameOf(at) || entry.sha256 !== wanted[at]?.sha256,
          );
          expect(differs).to.equal(-1);
        });

      for (const pipe of PIPES)
        it(`are complete in ${pipe.name} (Z4, Z15)`, async function () {
          await requirePrograms(this, [pipe.program]);
          const whole = Array.from({ length: count }, (_, index) => String(index)).join('');
          expect(await digestThrough(pipe, path)).to.equal(sha256Of(Buffer.from(whole)));
        });
    });
});
