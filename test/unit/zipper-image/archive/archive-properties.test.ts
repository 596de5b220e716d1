/**
 * Random archives, read by two independent parsers. The name of a test contains its seed: ZIP_SEED=<seed> repeats it.
 */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import yauzl from 'yauzl';
import type { Compression } from '#crds/zip-job.ts';
import { type Given, makeArchive } from '#test/support/archives/make-archive.ts';
import { contentOf, readZip } from '#test/support/archives/read-zip.ts';
import { sized } from '#test/support/sized.ts';

const RUNS = sized(15, 40);
const firstSeed = Number(process.env['ZIP_SEED'] ?? Date.now() % 1_000_000_000);
const runs = process.env['ZIP_SEED'] === undefined ? RUNS : 1;

/** Marsaglia's xorshift: integers below a bound, the same sequence for the same seed. */
function randomOf(seed: number): (below: number) => number {
  let state = seed + 1;
  return (below) => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return (state >>> 0) % below;
  };
}

type Random = ReturnType<typeof randomOf>;

/** Sizes at the limits of entry formats and data blocks. */
const LIMITS = [0, 1, 4095, 4096, 4097, 65_534, 65_535, 65_536, 131_070, 131_071, 200_000];
const PIECES = ['a', 'B', '.b', '-', ' ', 'é', 'e\u0301', '名', '😀', 'x'.repeat(60), '/d/', '.txt', '.jpg'];

function bodyOf(random: Random): Buffer {
  const size = Math.max(0, LIMITS[random(LIMITS.length)]! + random(3) - 1);
  const body = Buffer.alloc(size, 'compressible ');
  // Part or all of the body is noise, so the compression probe may see either kind of bytes.
  const noiseFrom = random(3) === 0 ? 0 : random(size + 1);
  const noiseTo = random(2) === 0 ? size : Math.min(size, noiseFrom + 5000);
  for (let at = noiseFrom; at < noiseTo; at += 1) body[at] = random(256);
  return body;
}

function filesOf(random: Random): readonly Given[] {
  return Array.from({ length: random(12) }, (_, index) => ({
    name: `${index}${Array.from({ length: 1 + random(4) }, () => PIECES[random(PIECES.length)]).join('')}z`,
    body: bodyOf(random),
    small: random(2) === 0,
    declared: random(2) === 0,
    chunk: [1, 7, 4096, 65_535, 1_000_000][random(5)]! + random(50),
    modified: new Date(
      Date.UTC(1970 + random(150), random(12), random(28), random(24), random(60), random(60)),
    ),
  }));
}

async function viaYauzl(path: string): Promise<readonly (readonly [string, Buffer])[]> {
  const archive = await yauzl.openPromise(path);
  const found: [string, Buffer][] = [];
  for await (const entry of archive.eachEntry()) {
    const chunks: Buffer[] = [];
    for await (const chunk of await archive.openReadStreamPromise(entry)) chunks.push(chunk as Buffer);
    found.push([entry.fileName, Buffer.concat(chunks)]);
  }
  return found;
}

function expectFiles(found: readonly (readonly [string, Buffer])[], files: readonly Given[]): void {
  expect(found.map(([name]) => name)).to.deep.equal(files.map(({ name }) => name));
  for (const [index, [name, content]] of found.entries())
    expect(content.equals(files[index]!.body), name).to.equal(true);
}

describe('a random archive', () => {
  let path = '';
  before(async () => {
    path = join(await mkdtemp(join(tmpdir(), 'zipjobs-any-')), 'a.zip');
  });
  after(() => rm(join(path, '..'), { recursive: true }));

  for (const [at, compression] of (['auto', 'store', 'deflate'] as const).entries())
    for (let run = 0; run < Math.ceil(runs / 3); run += 1) {
      const seed = firstSeed + run;
      it(`with ${compression} reads the same in two parsers and is reproducible: ZIP_SEED=${seed}`, async () => {
        const random = randomOf(seed * 3 + at);
        const files = filesOf(random);
        const options = { zip64ForUnknownLength: random(4) === 0 };
        const archive = await makeArchive(files, compression satisfies Compression, options);
        expectFiles(
          readZip(archive).entries.map((entry) => [entry.name, contentOf(entry)]),
          files,
        );
        await writeFile(path, archive);
        expectFiles(await viaYauzl(path), files);
        const otherChunks = files.map((file) => ({ ...file, chunk: 1 + random(100_000) }));
        expect((await makeArchive(otherChunks, compression, options)).equals(archive)).to.equal(true);
      });
    }
});
