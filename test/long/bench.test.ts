/** The contenders of `npm run bench`, each with a real store and origin that speak HTTPS or HTTP. */
import { expect } from 'chai';
import { type BenchWorld, BUCKET, openOrigin, openWorld } from '#test/bench/bench-world.ts';
import { findContenders } from '#test/bench/contenders.ts';
import { measure } from '#test/bench/measured-run.ts';
import { runCase } from '#test/bench/run-case.ts';
import { generatedBytes } from '#test/support/builders/generated-bytes.ts';
import { createBucketReader } from '#test/support/clients/bucket-reader.ts';
import { requirePrograms } from '#test/support/processes/require-programs.ts';

function log(): void {
  return undefined;
}

/** Small files, one larger than a part, and an empty one. */
const FILES = [1000, 20 * 1024 * 1024, 0, 300_000].map((bytes, index) => ({ path: `${index}.bin`, bytes }));
const BENCH = { name: 'tiny', what: '4 files', latencyMs: 0, files: FILES };

for (const plain of [false, true])
  describe(`the benchmark over ${plain ? 'HTTP' : 'HTTPS'}`, function () {
    this.timeout(240_000);
    const life = new AsyncDisposableStack();
    let world: BenchWorld;
    before(async function () {
      await requirePrograms(this, ['go']);
      world = life.use(await openWorld({ log, plain }));
    });
    after(() => life.disposeAsync());

    it('measures every contender', async () => {
      expect(new URL(world.store.endpoint).protocol).to.equal(plain ? 'http:' : 'https:');
      const contenders = await findContenders(world, log);
      const names = contenders.map(({ name }) => name);
      expect(names).to.include.members(['zipjobs', 'floor', 'recipe']);
      const results = await runCase(world, contenders, { bench: BENCH, rounds: 1, log });
      expect(results.map(({ contender }) => contender)).to.deep.equal(names);
      for (const { contender, wall_s: wall } of results) expect(wall, contender).to.be.greaterThan(0);
    });

    it('uploads the bytes of the files in the order of the list with the floor', async () => {
      await using origin = await openOrigin(BENCH, world);
      const floor = (await findContenders(world, log)).find(({ name }) => name === 'floor');
      if (!floor) throw new Error('no floor was found');
      await measure(await floor.prepare({ url: origin.url, key: 'floor.bin', files: FILES }));
      const expected = Buffer.concat(FILES.map(({ bytes }, seed) => generatedBytes(bytes, seed)));
      using reader = createBucketReader(world.store, BUCKET);
      expect((await reader.bytes('floor.bin')).equals(expected)).to.equal(true);
    });
  });
