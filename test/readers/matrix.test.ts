/** Every kind of archive that the zipper writes, byte for byte, in every reader, and its times in three time zones. */
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

function byName(entries: readonly ReadEntry[]): readonly ReadEntry[] {
  return entries.toSorted((a, b) => (a.name < b.name ? -1 : 1));
}

const nested = await makeArchive(
  [
    { name: 'inner.bin', body: randomBytes(100_000) },
    { name: 'inner.txt', body: Buffer.from('inner'), small: true },
  ],
  'store',
);
const scratch = await mkdtemp(join(tmpdir(), 'zipjobs-readers-'));
const readers = archiveReaders(scratch);

after(() => rm(scratch, { recursive: true, force: true }));

describe('archives in other readers', () => {
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

/** In winter, in summer, and the hour that New York has twice. */
const TIMES = [
  '2024-01-15T23:30:07Z',
  '2024-07-15T01:30:07Z',
  '2024-11-03T05:30:07Z',
  '2024-11-03T06:30:07Z',
];
const FORMS = { small: { small: true }, streamed: {}, unknown: { declared: false } };
const timedFiles = Object.entries(FORMS).flatMap(([form, how]) =>
  TIMES.map((time) => ({
    ...how,
    name: `${form} of ${time.replaceAll(':', '')}`,
    body: Buffer.from(time),
    modified: new Date(time),
  })),
);

describe('modification times in other readers', () => {
  for (const zip64 of [false, true]) {
    const path = join(scratch, `times-${zip64}.zip`);
    before(async () =>
      writeFile(path, await makeArchive(timedFiles, 'store', { zip64ForUnknownLength: zip64 })),
    );
    function canRead({ name }: ArchiveReader): boolean {
      return (name === 'JDK ZipInputStream') !== zip64;
    }
    for (const reader of readers.filter(canRead))
      for (const timeZone of reader.readTimes ? ['UTC', 'Asia/Tokyo', 'America/New_York'] : [])
        it(`are restored by ${reader.name} in the time zone ${timeZone}${zip64 ? ', also of zip64 entries' : ''} (Z7) (FD1)`, async function () {
          await requirePrograms(this, reader.needs, reader.probe);
          const found = (await reader.readTimes?.(path, timeZone)) ?? [];
          const wrong = timedFiles.filter(({ name, modified }) => {
            const read = found.find((entry) => entry.name === name)?.modified ?? Number.NaN;
            return !(Math.abs(read - modified.getTime() / 1000) <= 2);
          });
          expect(wrong.map(({ name }) => name)).to.deep.equal([]);
        });
  }
});

async function expectSame(reader: ArchiveReader, path: string, wanted: readonly ReadEntry[]): Promise<void> {
  const found = await reader.read(path);
  function onDisk({ name, sha256 }: ReadEntry): ReadEntry {
    return {
      name: reader.composesNames === true ? name.normalize('NFC') : name,
      sha256,
    };
  }
  if (reader.keepsOrder) expect(found).to.deep.equal(wanted);
  else expect(byName(found)).to.deep.equal(byName(wanted.map(onDisk)));
}
