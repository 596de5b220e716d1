/** Random names. The name of the suite contains their seed: NAMES_SEED=<seed> repeats them. */
import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { PORTABLE_NAMES } from '#crds/zip-job.ts';
import { EXTRACTORS, type Extractor, extractInto } from '#test/readers/readers.ts';
import { makeArchive } from '#test/support/archives/make-archive.ts';
import { byZipper, plan, planned, refusal } from '#test/support/builders/planned-names.ts';
import { requirePrograms } from '#test/support/processes/require-programs.ts';
import { createRandom, type Random } from '#test/support/random.ts';
import type { EntryNameOptions } from '#zipper-image/archive/entry-names.ts';

const seed = Number(process.env['NAMES_SEED'] ?? Date.now() % 1_000_000_000);

/** Separated by commas. */
const PIECES = [
  'a,A,b,., ,:,con,NUL,aux.,(2), (2),.error,.txt,.tar.gz,-,%,/,/,/,<,|,?,*,"',
  '\u00e9,e\u0301,\u0301,\u00c9,ß,ẞ,ss,SS,ﬁ,İ,i\u0307,\u212a,\u1e9b\u0323',
  '\u200e,\u202e,\t,\r,\n,\0,\u0085,\ud83d,\ude00,😀,👩‍👩‍👧,報,\u2028,\u00a0,\u3000',
  `${'x'.repeat(60)},${'報'.repeat(40)}`,
].flatMap((line) => line.split(','));

const LONG_PIECES = [
  'd'.repeat(100),
  '😀'.repeat(50),
  'e\u0301'.repeat(60),
  'console'.repeat(9),
  'd/'.repeat(60),
];

function anyName(random: Random): string {
  const pieces = random.int(0, 9) === 0 ? LONG_PIECES : PIECES;
  return Array.from({ length: random.int(1, 6) }, () => random.pick(pieces)).join('');
}

/** Different names that `rewrite` accepts. */
function anyNames(random: Random, count: number): readonly string[] {
  const names = new Set<string>();
  while (names.size < count) {
    const name = anyName(random);
    if (byZipper([name], 'rewrite') === undefined) names.add(name);
  }
  return [...names];
}

/** As the second file named `a` is renamed. */
const MANIFEST = 'a (2)';

/** One that stays `a (2)` when rewritten is refused, as it should be. */
function isBesideManifest(name: string): boolean {
  return byZipper([...planned([name], 'rewrite'), MANIFEST], 'refuse') === undefined;
}

describe(`random names that are rewritten (NAMES_SEED=${seed})`, () => {
  it('are accepted by refuse, stay as they are when rewritten again, and stay as many (FD12)', () => {
    const random = createRandom(seed);
    for (let round = 0; round < 10; round += 1) {
      const names = anyNames(random, 150);
      const written = planned(names, 'rewrite');
      expect(byZipper(written, 'refuse'), JSON.stringify(names)).to.equal(undefined);
      expect(planned(written, 'rewrite')).to.deep.equal(written);
      expect(new Set(written).size).to.equal(names.length);
    }
  });

  it('are accepted or refused by the API as by the zipper, in every mode (FD12)', () => {
    const random = createRandom(seed + 1);
    for (let round = 0; round < 400; round += 1) {
      const names = Array.from({ length: 5 }, () => anyName(random));
      for (const mode of PORTABLE_NAMES)
        refusal(
          names.filter((name) => name !== ''),
          mode,
        );
    }
  });

  const programs: readonly Extractor[] = [
    ...EXTRACTORS.filter(({ name }) => ['unzip', '7zz', 'bsdtar'].includes(name)),
    {
      name: 'Python zipfile',
      program: 'python3',
      args: (archive, target) => ['-m', 'zipfile', '-e', archive, target],
    },
  ];

  /** Files, and placeholders of every third one. */
  function archived(random: Random, manifest: Partial<EntryNameOptions>): readonly string[] {
    const names = anyNames(random, 60).filter(
      (name) => !/[%\u2028\u00a0\u3000]/u.test(name) && isBesideManifest(name),
    );
    const entries = plan(names, { portableNames: 'rewrite', ...manifest });
    return names.map((_, index) => (index % 3 === 0 ? entries.placeholderOf(index) : entries.nameOf(index)));
  }

  for (const extractor of programs)
    it(`unpack with ${extractor.name} to as many files as the archive has entries (FD12)`, async function () {
      await requirePrograms(this, [extractor.program]);
      const root = await mkdtemp(join(tmpdir(), 'zipjobs-names-'));
      try {
        const random = createRandom(seed + 2);
        const names = [
          ...archived(random, { manifestEntry: MANIFEST }),
          MANIFEST,
          // Beside the others, in a folder of its own.
          ...archived(random, { manifestFormat: 'bagit', key: 'bag of names.zip' }),
        ];
        const archive = join(root, 'archive.zip');
        const target = join(root, 'target');
        await mkdir(target);
        const files = names.map((name) => ({ name, body: Buffer.from(name), small: true }));
        await writeFile(archive, await makeArchive(files));
        await extractInto(extractor, archive, { target });
        const found = await readdir(target, { recursive: true, withFileTypes: true });
        expect(found.filter((one) => one.isFile()).length, JSON.stringify(names)).to.equal(names.length);
      } finally {
        await rm(root, { recursive: true, force: true });
      }
    });
});
