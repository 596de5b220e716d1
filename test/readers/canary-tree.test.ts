/** How programs handle names that try to leave the target directory. */
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { PORTABLE_NAMES } from '#crds/zip-job.ts';
import { type Given, makeArchive } from '#test/support/archives/make-archive.ts';
import { nameFault } from '#test/support/builders/name-fault.ts';
import { requirePrograms } from '#test/support/processes/require-programs.ts';
import { runProgram } from '#test/support/processes/run-program.ts';
import { planEntryNames } from '#zipper-image/archive/entry-names.ts';
import { EXTRACTORS, extractInto, sha256Of } from './readers.ts';

const PROGRAMS = ['unzip', '7zz', 'bsdtar', 'Python zipfile', 'Go archive/zip'] as const;
const EXTRACT_IN_PYTHON = 'import sys,zipfile; zipfile.ZipFile(sys.argv[1]).extractall(sys.argv[2])';
const EXTRACT_IN_GO = join(import.meta.dirname, 'programs/extract.go');

/** Names that the checks refuse for every caller. */
const HOSTILE = [
  '../escaped',
  '../../escaped',
  'a/../../escaped',
  '..\\escaped',
  '/escaped-absolute',
  'C:\\escaped',
  'C:/escaped',
  './../escaped',
  'x/../../../../../../../../tmp/zipjobs-escaped',
];
/** Names that look dangerous but are valid. */
const ODD = [
  '...',
  '..a',
  'a..',
  'dir/..b/c',
  '.hidden/x',
  '-rf',
  '~',
  '~root/x',
  '$HOME',
  '%2e%2e/x',
  'tmp/..\u2024/x',
];

function given(names: readonly string[]): readonly Given[] {
  return names.map((name, index) => ({ name, body: Buffer.from(name), small: index % 2 === 0 }));
}

/** A directory with files next to and above the target directory. */
async function plantTree(root: string): Promise<string> {
  const target = join(root, 'above/here');
  await mkdir(target, { recursive: true });
  for (const place of ['escaped', 'above/escaped', 'above/beside.txt'])
    await writeFile(join(root, place), 'canary');
  return target;
}

/** Every file outside of the target, with its content. */
async function outside(root: string): Promise<readonly string[]> {
  const files = await readdir(root, { recursive: true, withFileTypes: true });
  const paths = files.filter((file) => !file.isDirectory()).map((file) => join(file.parentPath, file.name));
  const others = paths.filter((path) => !path.startsWith(join(root, 'above/here/')));
  const described = others.map(async (path) => `${path.slice(root.length)} ${await readFile(path, 'utf8')}`);
  return (await Promise.all(described)).toSorted();
}

async function extract(
  program: (typeof PROGRAMS)[number],
  archive: string,
  target: string,
): Promise<unknown> {
  if (program === 'Python zipfile') return runProgram('python3', ['-c', EXTRACT_IN_PYTHON, archive, target]);
  if (program === 'Go archive/zip') return runProgram('go', ['run', EXTRACT_IN_GO, archive, target]);
  const extractor = EXTRACTORS.find(({ name }) => name === program);
  if (!extractor) throw new Error(`program ${program} not found`);
  return extractInto(extractor, archive, { target });
}

function commandOf(program: (typeof PROGRAMS)[number]): string {
  if (program === 'Python zipfile') return 'python3';
  if (program === 'Go archive/zip') return 'go';
  return program;
}

describe('unpacking into a tree of canary files', () => {
  let root = '';
  let target = '';
  beforeEach(async () => {
    root = await mkdtemp(join(tmpdir(), 'zipjobs-canary-'));
    target = await plantTree(root);
  });
  afterEach(async () => {
    await rm(root, { recursive: true, force: true });
    for (const path of FAR_OUTSIDE) await rm(path, { force: true });
  });

  it('finds no hostile name in an archive (Z14)', () => {
    for (const filename of HOSTILE) {
      for (const mode of PORTABLE_NAMES) expect(nameFault([filename], mode)).to.have.property('index', 0);
      function plan() {
        return planEntryNames(
          [
            { url: 'https://a.example/', filename: 'good' },
            { url: 'https://a.example/', filename },
          ],
          { key: 'a.zip', portableNames: 'rewrite' },
        );
      }
      expect(plan).to.throw('file 1').that.has.property('code', 'InvalidTask');
    }
  });

  for (const program of PROGRAMS) {
    it(`with ${program} writes unusual valid names inside the target, and nothing outside (Z14)`, async function () {
      await requirePrograms(this, [commandOf(program)]);
      const archive = join(root, 'archive.zip');
      expect(nameFault(ODD)).to.equal(undefined);
      await writeFile(archive, await makeArchive(given(ODD)));
      await extract(program, archive, target);
      await rm(archive);
      expect(await outside(root)).to.deep.equal(UNTOUCHED);
      for (const name of ODD)
        expect(sha256Of(await readFile(join(target, name)))).to.equal(sha256Of(Buffer.from(name)));
    });

    it(`with ${program} is safe even if hostile names bypass the checks (Z14)`, async function () {
      await requirePrograms(this, [commandOf(program)]);
      for (const name of HOSTILE) {
        const archive = join(root, 'archive.zip');
        await writeFile(archive, await makeArchive(given(['good', name])));
        // Many programs refuse the whole archive, which is also safe.
        await extract(program, archive, target).catch(() => undefined);
        await rm(archive);
        expect(await outside(root), name).to.deep.equal(UNTOUCHED);
        for (const path of FAR_OUTSIDE) expect(existsSync(path), path).to.equal(false);
      }
    });
  }
});

const FAR_OUTSIDE = ['/escaped-absolute', '/tmp/zipjobs-escaped'];
const UNTOUCHED = ['/above/beside.txt canary', '/above/escaped canary', '/escaped canary'];
