import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { archiveEntryOf } from '#test/support/archives/make-archive.ts';
import { writeSparseArchive, zeros } from '#test/support/archives/sparse-archive.ts';
import { requirePrograms } from '#test/support/processes/require-programs.ts';
import { archiveReaders, digestThrough, PIPES, sha256Of } from './readers.ts';

const SIZE = 2 ** 32 + 1;
const BEHIND = Buffer.from('behind it');
/** `head -c 4294967297 /dev/zero | sha256sum`, which takes many seconds. */
const BIG_SHA256 = 'fbb82f7b353676bb562eb82157fcf0ea42c36492ca13ee56dbf82c08b6802c5c';
/** The same with `behind it` twice at its end. */
const WHOLE_SHA256 = '4ee16603183e8a54e5d5db1c00fee77e18ea7bfd7c4378f5defb106831f969c2';

/**
 * Writes an entry of more than 4 GiB, and behind it a small entry and a stream without a declared length. Returns what readers must
 * see.
 */
async function writeBeyond4Gib(path: string) {
  await writeSparseArchive(path, async (archive) => {
    await archive.add({
      ...archiveEntryOf({ name: 'big', body: BEHIND }),
      declaredLength: SIZE,
      body: zeros(SIZE),
    });
    await archive.add(archiveEntryOf({ name: 'small', body: BEHIND, small: true }));
    await archive.add(archiveEntryOf({ name: 'stream', body: BEHIND, declared: false }));
  });
  const sha256 = sha256Of(BEHIND);
  return {
    wanted: [
      { name: 'big', sha256: BIG_SHA256 },
      { name: 'small', sha256 },
      { name: 'stream', sha256 },
    ],
    /** Of all, one after the other. */
    whole: WHOLE_SHA256,
  };
}

type Written = Awaited<ReturnType<typeof writeBeyond4Gib>>;
type World = Written & { readonly scratch: string; readonly path: string };

/** Writes the archive before the tests and deletes it after them. */
export function useArchiveBeyond4Gib(): () => World {
  let world: World | undefined;
  before(async () => {
    const scratch = await mkdtemp(join(tmpdir(), 'zipjobs-beyond-'));
    const path = join(scratch, 'archive.zip');
    world = { ...(await writeBeyond4Gib(path)), scratch, path };
  });
  after(() => world && rm(world.scratch, { recursive: true, force: true }));
  return () => {
    if (!world) throw new Error('the archive was not written');
    return world;
  };
}

/** One that starts at the directory and one that reads a stream. The others need up to a minute of CPU for 4 GiB. */
const OF_EVERY_RUN = new Set(['7zz', 'bsdtar from stdin']);

/** Defines a test for each of these readers. */
export function readBeyond4Gib(when: 'in every run' | 'in long runs', world: () => World): void {
  function isWanted({ name }: { readonly name: string }): boolean {
    return OF_EVERY_RUN.has(name) === (when === 'in every run');
  }
  for (const { name } of archiveReaders('').filter((reader) => reader.keepsOrder && isWanted(reader)))
    it(`${name} reads an entry beyond 4 GiB and those behind it (Z3, Z5, Z15)`, async function () {
      const { scratch, path, wanted } = world();
      const reader = archiveReaders(scratch).find((one) => one.name === name);
      if (!reader) throw new Error(`there is no reader ${name}`);
      await requirePrograms(this, reader.needs, reader.probe);
      expect(await reader.read(path)).to.deep.equal(wanted);
    });

  // Neither busybox 1.35 nor unar 1.10 supports 64-bit sizes of an entry; see the ADR about readers.
  for (const pipe of PIPES.filter(({ program }) => program !== 'busybox').filter(isWanted))
    it(`${pipe.name} reads an entry beyond 4 GiB and those behind it (Z3, Z5, Z15)`, async function () {
      const { path, whole } = world();
      await requirePrograms(this, [pipe.program]);
      expect(await digestThrough(pipe, path)).to.equal(whole);
    });
}
