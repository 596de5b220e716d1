import { setTimeout as delay } from 'node:timers/promises';
import { expect } from 'chai';
import { generatedBytes, generatedChunks } from '#test/support/builders/generated-bytes.ts';
import { type FileOrigin, startFileOrigin } from '#test/support/servers/file-origin.ts';
import type { OriginRoute } from '#test/support/servers/origin-request.ts';
import { until } from '#test/support/until.ts';
import { SMALL_ENTRY_BYTES, type SourceEntry } from '#zipper-image/sources/types.ts';
import { bodyOf, failureOf, type Reader, readAll, withReader } from './source-harness.ts';

const KIB = 1024;
const MIB = 1024 * KIB;

function nextOf(pieces: Iterator<Uint8Array, void>): Uint8Array {
  const piece = pieces.next();
  return piece.done === true ? new Uint8Array(0) : piece.value;
}

/** Compares a streamed body with a generated file. */
async function matches(entry: SourceEntry, bytes: number, seed: number): Promise<boolean> {
  const expected = generatedChunks(bytes, seed);
  let want: Uint8Array = new Uint8Array(0);
  let at = 0;
  let same = true;
  for await (const chunk of entry.body) {
    for (let offset = 0; offset < chunk.byteLength; ) {
      if (want.byteLength === 0) want = nextOf(expected);
      const length = Math.min(want.byteLength, chunk.byteLength - offset);
      if (length === 0) return false;
      same &&= Buffer.compare(want.subarray(0, length), chunk.subarray(offset, offset + length)) === 0;
      want = want.subarray(length);
      offset += length;
      at += length;
    }
  }
  return same && at === bytes;
}

async function nothing(): Promise<void> {
  return undefined;
}

/** Consumes all entries; `eachChunk` may be slow. Returns the indices in order and the most bytes held. */
async function consume(reader: Reader, eachChunk: () => Promise<void> = nothing) {
  const indices: number[] = [];
  let peakHeld = 0;
  for await (const entry of reader.entries()) {
    indices.push(entry.index);
    for await (const chunk of entry.body) {
      peakHeld = Math.max(peakHeld, reader.bytesHeld + chunk.byteLength);
      await eachChunk();
    }
  }
  return { indices, peakHeld };
}

describe('createSourceReader', () => {
  let origin: FileOrigin;
  beforeEach(async () => {
    origin = await startFileOrigin();
  });
  afterEach(() => origin[Symbol.asyncDispose]());

  function urls(paths: readonly string[]): string[] {
    return paths.map((path) => origin.url(path));
  }

  describe('small entries', () => {
    const lengths = [0, 1, 65_536, SMALL_ENTRY_BYTES - 1, SMALL_ENTRY_BYTES, SMALL_ENTRY_BYTES + 1, 3 * MIB];
    for (const kind of ['gen', 'chunked'])
      it(`include files up to 1 MiB, with or without a declared length (${kind})`, async () => {
        const paths = lengths.map((bytes) => `/${kind}/${bytes}/5`);
        const entries = await withReader(urls(paths), readAll);
        expect(entries.map(({ small }) => small?.byteLength)).to.deep.equal([
          0,
          1,
          65_536,
          SMALL_ENTRY_BYTES - 1,
          SMALL_ENTRY_BYTES,
          undefined,
          undefined,
        ]);
        for (const [index, { bytes, small }] of entries.entries()) {
          expect(bytes.equals(generatedBytes(lengths[index] ?? 0, 5))).to.equal(true);
          if (small) expect(Buffer.from(small).equals(bytes)).to.equal(true);
        }
      });

    it('stay small if they arrive slowly or in pieces', async () => {
      const [entry] = await withReader(urls(['/drip/300/2/3000/1']), readAll);
      expect(entry?.small).to.have.length(3000);
    });
  });

  it('keeps the order of the list for any timing of the sources (D13)', async () => {
    const slowFirst = await startFileOrigin({ latencyMs: 60 });
    const list = [
      slowFirst.url('/gen/1000/0'),
      ...urls(['/gen/2000000/1', '/chunked/10/2', '/flaky/1/503/5000/3']),
    ];
    const entries = await withReader([...list, ...list], readAll);
    expect(entries.map(({ index }) => index)).to.deep.equal([0, 1, 2, 3, 4, 5, 6, 7]);
    expect(entries.map(({ bytes }) => bytes.byteLength)).to.deep.equal([
      1000, 2_000_000, 10, 5000, 1000, 2_000_000, 10, 5000,
    ]);
    await slowFirst[Symbol.asyncDispose]();
  });

  it('ends what is still read with the error of the file that failed (P108)', async () => {
    const list = urls(['/stall/2000000/3000000/1', '/status/404']);
    const errors = await withReader(
      list,
      async (reader) => {
        const bodies: Promise<unknown>[] = [];
        async function readEntries(): Promise<void> {
          for await (const entry of reader.entries())
            bodies.push(bodyOf(entry).catch((error: unknown) => error));
        }
        return [await failureOf(readEntries()), ...(await Promise.all(bodies))];
      },
      { settings: { sourceConcurrency: 2 } },
    );
    expect(errors).to.have.length(2);
    for (const error of errors) expect(error).to.include({ code: 'SourceNotFound', fileIndex: 1 });
  });

  it('continues a file that is read, although the next one has the only connection of its host (P109)', async () => {
    const list = urls(['/cut/1/6000000/1', '/gen/9000000/2', '/gen/1000/3']);
    const settings = { sourcePerHostConnections: 1, sourceBufferBytes: 4 * MIB };
    const entries = await withReader(list, readAll, { settings });
    expect(entries.map(({ bytes }) => bytes.length)).to.deep.equal([6_000_000, 9_000_000, 1000]);
  });

  it('accepts an empty list', async () => {
    expect(await withReader([], readAll)).to.deep.equal([]);
  });

  it('downloads as many files concurrently as the setting allows, with as many connections', async () => {
    const allOpen = Promise.withResolvers<void>();
    let open = 0;
    /** Responds once 32 requests are open at the same time. */
    const gate: OriginRoute = async (_request, response) => {
      open += 1;
      if (open === 32) allOpen.resolve();
      await allOpen.promise;
      response.writeHead(200, { 'content-length': 2 }).end('ok');
    };
    const far = await startFileOrigin({ routes: { '/gate': gate } });
    const list = Array.from({ length: 200 }, (_, index) => far.url(`/gate?${index}`));
    const entries = await withReader(list, readAll, { settings: { sourceConcurrency: 32 } });
    expect(entries).to.have.length(200);
    expect(far.peakRequests).to.equal(32);
    expect(far.peakConnections).to.be.at.most(33);
    await far[Symbol.asyncDispose]();
  });

  it('streams files far larger than its memory budget', async () => {
    const bytes = 60 * MIB;
    await withReader(
      urls([`/gen/${bytes}/1`, `/chunked/${bytes}/2/65536`]),
      async (reader) => {
        const seen: boolean[] = [];
        for await (const entry of reader.entries()) seen.push(await matches(entry, bytes, entry.index + 1));
        expect(seen).to.deep.equal([true, true]);
        expect(reader.bytesRead).to.be.at.least(2 * bytes);
      },
      { settings: { sourceBufferBytes: 4 * MIB } },
    );
  });

  describe('memory', () => {
    const budget = 8 * MIB;
    const concurrency = 16;
    const settings = { sourceBufferBytes: budget, sourceConcurrency: concurrency, sourceParkedMaxMs: 30 };
    const bound = budget + concurrency * 64 * KIB + MIB;

    it('stays within the budget with a slow reader and many sources (D13)', async () => {
      const paths = Array.from(
        { length: 40 },
        (_, index) => `/${index % 2 ? 'gen' : 'chunked'}/1500000/${index}`,
      );
      await withReader(
        urls(paths),
        async (reader) => {
          const { indices, peakHeld } = await consume(reader, () => delay(1));
          expect(indices).to.have.length(40);
          expect(peakHeld).to.be.below(bound);
        },
        { settings },
      );
    });

    it('stays within the budget if chunks are tiny (D13)', async () => {
      const paths = Array.from({ length: 12 }, (_, index) => `/chunked/200000/${index}/16`);
      await withReader(
        urls(paths),
        async (reader) => {
          let chunks = 0;
          for await (const entry of reader.entries()) {
            expect(await matches(entry, 200_000, entry.index)).to.equal(true);
            chunks += 1;
          }
          expect(chunks).to.equal(12);
        },
        { settings },
      );
    });

    it('buffers little of a file that is read, however much memory there is (H10)', async () => {
      await withReader(
        urls(['/gen/20000000/1']),
        async (reader) => {
          const { peakHeld } = await consume(reader, () => delay(1));
          // 512 KiB, and what arrived before it was known that the file is not small.
          expect(peakHeld).to.be.below(4 * MIB);
        },
        { settings: { ...settings, sourceBufferBytes: 64 * MIB } },
      );
    });

    it('makes progress if all files are large and without a declared length', async () => {
      const paths = Array.from({ length: 20 }, (_, index) => `/chunked/5000000/${index}/65536`);
      await withReader(
        urls(paths),
        async (reader) => {
          for await (const entry of reader.entries())
            expect(await matches(entry, 5_000_000, entry.index), String(entry.index)).to.equal(true);
        },
        { settings: { ...settings, sourceBufferBytes: 4 * MIB } },
      );
    });

    it('closes connections that are not read, and requests the files again later', async () => {
      const paths = ['/drip/40000/10/1200000/0', '/gen/20000000/1', '/gen/20000000/2'];
      await withReader(
        urls(paths),
        async (reader) => {
          for await (const entry of reader.entries()) {
            const bytes = entry.index === 0 ? 1_200_000 : 20_000_000;
            expect(await matches(entry, bytes, entry.index)).to.equal(true);
          }
          expect(reader.retries).to.equal(0);
        },
        { settings, reportFailures: true },
      );
      expect(origin.requests.filter(({ path }) => path === '/gen/20000000/1')).to.have.length(2);
    });

    it('delays only later files if a source is stuck (D13)', async () => {
      const paths = ['/gen/1000/0', '/stall/10/1000/1?times=1', '/gen/1000/2', '/gen/1000/3'];
      const seen: number[] = [];
      await withReader(
        urls(paths),
        async (reader) => {
          for await (const entry of reader.entries()) {
            if (entry.index === 0)
              await until('the other requests', () => origin.requests.length >= 4, { limitMs: 15_000 });
            seen.push(entry.index);
            expect(await bodyOf(entry)).to.have.length(1000);
          }
        },
        { settings: { ...settings, sourceIdleTimeoutMs: 100 } },
      );
      expect(seen).to.deep.equal([0, 1, 2, 3]);
    });
  });

  it('counts received bytes and retries', async () => {
    await withReader(urls(['/flaky/2/502/1000/1', '/gen/500/1']), async (reader) => {
      await readAll(reader);
      expect(reader.bytesRead).to.equal(1500);
      expect(reader.retries).to.equal(2);
      expect(reader.bytesHeld).to.equal(0);
    });
  });
});
