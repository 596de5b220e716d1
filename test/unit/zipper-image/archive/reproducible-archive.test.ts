/** Archives of the same job are identical, whatever the network does. */
import { randomBytes } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import { expect } from 'chai';
import { inOrderSink } from '#test/support/archives/in-order-sink.ts';
import { readZip } from '#test/support/archives/read-zip.ts';
import { type FileOrigin, startFileOrigin } from '#test/support/servers/file-origin.ts';
import { createArchive } from '#zipper-image/archive/archive.ts';
import { withReader } from '../sources/source-harness.ts';

const FIXED = new Date('2024-05-06T07:08:09Z');
const MIB = 1024 * 1024;
const noise = randomBytes(2 * MIB + 12_345);
const prose = Buffer.from('the same words over and over, '.repeat(100_000));
/** Sizes on both sides of the limit that decides the format of an entry. */
const BODIES = [
  noise,
  prose,
  noise.subarray(0, MIB - 1),
  noise.subarray(0, MIB),
  noise.subarray(0, MIB + 1),
  prose.subarray(0, MIB),
  prose.subarray(0, MIB + 1),
  Buffer.alloc(0),
  noise.subarray(0, 4096),
];

describe('an archive with a fixed time', () => {
  let origin: FileOrigin;
  /** The behaviour of the origin in this run. */
  let pieces = 65_536;
  let slowFirst = false;
  before(async () => {
    function route(body: Buffer, index: number, declared: boolean) {
      return [
        `/${declared ? 'known' : 'unknown'}/${index}`,
        async (_request: unknown, response: ServerResponse) => {
          if (slowFirst && index === 0) await delay(150);
          // The Last-Modified of the source must not matter.
          response.setHeader('last-modified', new Date().toUTCString());
          if (declared) response.setHeader('content-length', body.length);
          for (let at = 0; at < body.length; at += pieces) response.write(body.subarray(at, at + pieces));
          response.end();
        },
      ] as const;
    }
    const routes = BODIES.flatMap((body, index) => [route(body, index, true), route(body, index, false)]);
    origin = await startFileOrigin({ routes: Object.fromEntries(routes) });
  });
  after(() => origin[Symbol.asyncDispose]());

  function build(sourceConcurrency: number): Promise<Buffer> {
    return withReader(
      ['known', 'unknown'].flatMap((kind) => BODIES.map((_, index) => origin.url(`/${kind}/${index}`))),
      async (reader) => {
        const chunks: Buffer[] = [];
        const sink = inOrderSink((bytes) => chunks.push(Buffer.from(bytes)));
        const archive = createArchive({ compression: 'auto', sink });
        for await (const entry of reader.entries())
          await archive.add({ ...entry, name: entry.filename, modified: FIXED });
        await archive.finish();
        await sink.finish();
        return Buffer.concat(chunks);
      },
      { settings: { sourceConcurrency } },
    );
  }

  it('has the same bytes, in the order of the list, for any concurrency, timing and chunk size (Z9, Z11)', async () => {
    const archives: Buffer[] = [];
    for (const run of [
      { concurrency: 1, pieces: 65_536, slowFirst: false },
      { concurrency: 2, pieces: 1_000_003, slowFirst: true },
      { concurrency: 16, pieces: 4_001, slowFirst: true },
      { concurrency: 64, pieces: 100_000, slowFirst: false },
    ]) {
      ({ pieces, slowFirst } = run);
      archives.push(await build(run.concurrency));
    }
    const { entries } = readZip(archives[0]!);
    expect(entries.map(({ name }) => name)).to.deep.equal(entries.map((_, index) => `file-${index}`));
    for (const archive of archives.slice(1)) expect(archive.equals(archives[0]!)).to.equal(true);
  }).timeout(60_000);
});
