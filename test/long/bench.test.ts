/** The contenders of `npm run bench`, each with a real store and origin that speak HTTPS or HTTP. */
import { expect } from 'chai';
import { type BenchWorld, BUCKET, openOrigin, openWorld } from '#test/bench/bench-world.ts';
import { findContenders } from '#test/bench/contenders.ts';
import { measure } from '#test/bench/measured-run.ts';
import { startLimitedServer } from '#test/bench/pipe/limited-server.ts';
import { measurePipe, type PipeResult } from '#test/bench/pipe/measure-pipe.ts';
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

describe('the benchmark on networks that limit connections', function () {
  this.timeout(240_000);
  const MIB = 1024 * 1024;
  before(async function () {
    await requirePrograms(this, ['go']);
  });

  it('serves the generated files and their ranges, and counts what its clients needed', async () => {
    const files = [{ path: 'a.bin', bytes: 3 * MIB }];
    await using server = await startLimitedServer({ connectionRate: 0, totalRate: 0, files }, log);
    async function get(range?: string): Promise<{ status: number; body: Buffer; etag: string | null }> {
      const headers = range === undefined ? undefined : { range };
      const response = await fetch(`${server.url}/set/a.bin`, { ...(headers && { headers }) });
      const body = Buffer.from(await response.arrayBuffer());
      return { status: response.status, body, etag: response.headers.get('etag') };
    }
    const expected = generatedBytes(3 * MIB, 0);
    const whole = await get();
    expect([whole.status, whole.etag]).to.deep.equal([200, `"0-${3 * MIB}"`]);
    expect(whole.body.equals(expected)).to.equal(true);
    const part = await get('bytes=1048500-2097300');
    expect(part.status).to.equal(206);
    expect(part.body.equals(expected.subarray(1_048_500, 2_097_301))).to.equal(true);
    const counts = await server.counts();
    expect(counts.requests).to.equal(2);
    expect(counts.connections).to.be.within(1, 2);
    expect((await server.counts()).requests, 'since the last call').to.equal(0);
  });

  it('gives each connection its own rate, or all of them one', async () => {
    const RATE = 2 * MIB;
    const files = [{ path: 'a.bin', bytes: MIB }];
    async function seconds(rates: {
      readonly connectionRate: number;
      readonly totalRate: number;
    }): Promise<number> {
      await using server = await startLimitedServer({ ...rates, files }, log);
      const started = performance.now();
      await Promise.all(
        [1, 2, 3, 4, 5, 6].map(async () => (await fetch(`${server.url}/set/a.bin`)).arrayBuffer()),
      );
      return (performance.now() - started) / 1000;
    }
    const [each, all] = [
      await seconds({ connectionRate: RATE, totalRate: 0 }),
      await seconds({ connectionRate: 0, totalRate: RATE }),
    ];
    expect(all / each).to.be.greaterThan(2);
  });

  it('measures every contender between a limited source and a limited store', async () => {
    await using world = await openWorld({ log, plain: true });
    const rates = { connectionRate: 20_000_000, totalRate: 0 };
    const network = { name: 'both', source: rates, store: rates };
    const results: PipeResult[] = [];
    await measurePipe(world, {
      cases: [{ name: 'both, 2 files', network, files: FILES.slice(0, 2) }],
      rounds: 1,
      isWanted: ({ name, onRequest }) => name !== 'rclone' && onRequest !== true,
      log,
      report: (result) => results.push(result),
    });
    expect(results.map(({ contender }) => contender)).to.deep.equal(['zipjobs', 'floor', 'recipe']);
    for (const { contender, source, store } of results) {
      expect(source.requests, contender).to.be.at.least(2);
      // Create, at least two parts and Complete.
      expect(store.requests, contender).to.be.at.least(4);
      expect(source.peakConnections, contender).to.be.within(1, source.connections);
    }
  });
});
