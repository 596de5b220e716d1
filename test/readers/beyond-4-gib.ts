import { createHash } from 'node:crypto';
import { expect } from 'chai';
import { MODIFIED } from '#test/support/archives/make-archive.ts';
import { writeSparseArchive, zeros } from '#test/support/archives/sparse-archive.ts';
import { requirePrograms } from '#test/support/processes/require-programs.ts';
import { archiveReaders, digestThrough, PIPES } from './readers.ts';

const SIZE = 2 ** 32 + 1;
const NEXT = Buffer.from('the entry behind it');

/** Writes an entry of more than 4 GiB and one behind it; on disk they are sparse. Returns what readers must see. */
export const writeBeyond4Gib = async (path: string) => {
  const common = { modified: MODIFIED, declaredLength: SIZE };
  await writeSparseArchive(path, async (archive) => {
    await archive.add({ ...common, name: 'big', body: zeros(SIZE), small: undefined });
    await archive.add({ ...common, name: 'next', declaredLength: NEXT.length, body: zeros(0), small: NEXT });
  });
  const all = createHash('sha256');
  for await (const chunk of zeros(SIZE)) all.update(chunk);
  const big = all.copy().digest('hex');
  return {
    wanted: [
      { name: 'big', sha256: big },
      { name: 'next', sha256: createHash('sha256').update(NEXT).digest('hex') },
    ],
    /** Of both, one after the other. */
    whole: all.update(NEXT).digest('hex'),
  };
};

type Written = Awaited<ReturnType<typeof writeBeyond4Gib>>;

/** Each needs up to a minute of CPU for 4 GiB, so most of them are not part of every run. */
const OF_EVERY_RUN = new Set(['unzip', 'bsdtar from stdin', 'Python zipfile']);

/** Defines a test for each of these readers. */
export const readBeyond4Gib = (
  when: 'in every run' | 'in long runs',
  world: () => Written & { readonly scratch: string; readonly path: string },
): void => {
  const isWanted = ({ name }: { readonly name: string }): boolean =>
    OF_EVERY_RUN.has(name) === (when === 'in every run');
  for (const { name } of archiveReaders('').filter((reader) => reader.keepsOrder && isWanted(reader)))
    it(`${name} reads an entry beyond 4 GiB and one behind it (Z3, Z5, Z15)`, async function () {
      const { scratch, path, wanted } = world();
      const reader = archiveReaders(scratch).find((one) => one.name === name);
      if (!reader) throw new Error(`there is no reader ${name}`);
      await requirePrograms(this, reader.needs, reader.probe);
      expect(await reader.read(path)).to.deep.equal(wanted);
    });

  // Neither busybox 1.35 nor unar 1.10 supports 64-bit sizes of an entry; see the ADR about readers.
  for (const pipe of PIPES.filter(({ program }) => program !== 'busybox').filter(isWanted))
    it(`${pipe.name} reads an entry beyond 4 GiB and one behind it (Z3, Z5, Z15)`, async function () {
      const { path, whole } = world();
      await requirePrograms(this, [pipe.program]);
      expect(await digestThrough(pipe, path)).to.equal(whole);
    });
};
