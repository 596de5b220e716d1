import { once } from 'node:events';
import { crc32 } from 'node:zlib';
import { expect } from 'chai';
import { generatedBytes, generatedChunks, generatedPart } from '#test/support/builders/generated-bytes.ts';
import { type FileOrigin, startFileOrigin } from '#test/support/servers/file-origin.ts';
import type { OriginRoute } from '#test/support/servers/origin-request.ts';
import { sized } from '#test/support/sized.ts';
import { until } from '#test/support/until.ts';
import type { SourceSettings } from '#zipper-image/sources/settings.ts';
import type { SourceError } from '#zipper-image/sources/source-error.ts';
import {
  bodyOf,
  failureOf,
  type HarnessOptions,
  type Reader,
  readAll,
  withReader,
} from './source-harness.ts';

const MIB = 1024 * 1024;

function crcOfGenerated(bytes: number, seed: number): number {
  let crc = 0;
  for (const piece of generatedChunks(bytes, seed)) crc = crc32(piece, crc);
  return crc;
}

/** CRC and length of the only body, and the bytes received for it. */
async function measure(reader: Reader) {
  let crc = 0;
  let length = 0;
  for await (const { body } of reader.entries())
    for await (const chunk of body) {
      crc = crc32(chunk, crc);
      length += chunk.byteLength;
    }
  return { crc, length, fetched: reader.bytesRead, retries: reader.retries };
}

/** Resets a connection that cannot be written to for 50 ms; serves the rest as a range. */
function resetWhenPaused(bytes: number): OriginRoute {
  return async ({ signal }, response, { headers }) => {
    const from = Number(/\d+/.exec(headers.range ?? '')?.[0] ?? '0');
    response.writeHead(from > 0 ? 206 : 200, {
      etag: '"a"',
      'content-length': bytes - from,
      ...(from > 0 && { 'content-range': `bytes ${from}-${bytes - 1}/${bytes}` }),
    });
    function reset(): void {
      response.socket?.resetAndDestroy();
    }
    for (const piece of generatedPart({ bytes, seed: 2, from, to: bytes })) {
      if (signal.aborted) return;
      if (response.write(piece)) continue;
      const gracePeriod = AbortSignal.any([signal, AbortSignal.timeout(50)]);
      await once(response, 'drain', { signal: gracePeriod }).catch(reset);
    }
    response.end();
  };
}

describe('fetchSource: an interrupted download', () => {
  let origin: FileOrigin;
  beforeEach(async () => {
    origin = await startFileOrigin();
  });
  afterEach(() => origin[Symbol.asyncDispose]());

  function ranges(): (string | undefined)[] {
    return origin.requests.map(({ headers }) => String(headers['range'] ?? ''));
  }

  it('resumes after each of 20 interruptions with the right bytes, none fetched twice (D6)', async () => {
    const bytes = sized(64, 1024) * MIB;
    const result = await withReader([origin.url(`/cut/20/${bytes}/3`)], measure);
    expect(result.length).to.equal(bytes);
    expect(result.crc).to.equal(crcOfGenerated(bytes, 3));
    expect(result.retries).to.equal(20);
    expect(result.fetched).to.be.at.most(bytes * 1.1);
    for (const { headers } of origin.requests.slice(1)) {
      expect(headers['if-range']).to.equal('"file-3"');
      expect(headers['range']).to.match(/^bytes=\d+-$/);
    }
  });

  it('resumes without a declared length, and after a 503 (D6)', async () => {
    for (const query of ['?chunked', '?flaky']) {
      const result = await withReader([origin.url(`/cut/6/${8 * MIB}/4${query}`)], measure);
      expect(result.crc, query).to.equal(crcOfGenerated(8 * MIB, 4));
      expect(result.fetched, query).to.equal(8 * MIB);
    }
  });

  it('resumes many small files concurrently (D6)', async () => {
    const paths = Array.from({ length: 40 }, (_, index) => origin.url(`/cut/2/300000/${index}`));
    const entries = await withReader(paths, readAll);
    for (const { index, bytes, small } of entries) {
      expect(bytes.equals(generatedBytes(300_000, index)), String(index)).to.equal(true);
      expect(small).to.have.length(300_000);
    }
  });

  it('resumes through the same redirect', async () => {
    const to = encodeURIComponent(`/cut/3/${4 * MIB}/5`);
    const result = await withReader([origin.url(`/redirect/302?to=${to}`)], measure);
    expect(result.crc).to.equal(crcOfGenerated(4 * MIB, 5));
  });

  it('resumes if the rest is sent without Last-Modified, which a 206 need not repeat (D6)', async () => {
    const result = await withReader([origin.url(`/cut/3/${4 * MIB}/5?fault=date-gone`)], measure);
    expect(result.crc).to.equal(crcOfGenerated(4 * MIB, 5));
    expect(result.fetched).to.equal(4 * MIB);
  });

  it('resumes after a stall (D6) (D10)', async () => {
    const settings = { sourceIdleTimeoutMs: 100 };
    const [entry] = await withReader([origin.url(`/cut/2/${3 * MIB}/1?stall`)], readAll, { settings });
    expect(entry?.bytes.equals(generatedBytes(3 * MIB, 1))).to.equal(true);
    expect(ranges()[1]).to.match(/^bytes=[1-9]\d*-$/);
  });

  it('counts only the time without progress of at least the minimum rate (D6) (D10)', async () => {
    const realNow = performance.now.bind(performance);
    // Each request takes nearly all of the time.
    performance.now = () => realNow() + origin.requests.length * 25_000;
    try {
      const url = origin.url(`/cut/12/${4 * MIB}/6`);
      const result = await withReader([url], measure);
      expect(result.crc).to.equal(crcOfGenerated(4 * MIB, 6));
      const settings = { sourceMinRateBytes: MIB };
      const other = origin.url(`/cut/12/${4 * MIB}/7`);
      expect((await failureOf(withReader([other], measure, { settings }))).code).to.equal('SourceTruncated');
    } finally {
      performance.now = realNow;
    }
  });

  describe('if the rest cannot be verified after delivery', () => {
    /** The consumer has received bytes before the interruption. */
    async function failureAfterBytes(
      query: string,
      settings: Partial<SourceSettings> = {},
    ): Promise<{
      readonly error: SourceError;
      readonly isPrefix: boolean;
    }> {
      const bytes = 12 * MIB;
      const expected = generatedBytes(bytes, 5);
      const chunks: Buffer[] = [];
      const reading = withReader(
        [origin.url(`/cut/1/${bytes}/5${query}`)],
        async (reader) => {
          for await (const { body } of reader.entries())
            for await (const chunk of body) chunks.push(Buffer.from(chunk));
        },
        { settings },
      );
      const error = await failureOf(reading);
      const seen = Buffer.concat(chunks);
      expect(seen.length).to.be.greaterThan(0);
      return { error, isPrefix: seen.equals(expected.subarray(0, seen.length)) };
    }

    for (const fault of ['replaced', 'replaced-if-range-ignored', 'date-changed'])
      it(`fails without mixing bytes: ${fault} (D8, F29, H2)`, async () => {
        const { error, isPrefix } = await failureAfterBytes(`?fault=${fault}`);
        expect(error).to.include({ code: 'SourceChanged', retryable: true });
        expect(isPrefix).to.equal(true);
        expect(ranges().map((range) => range !== '')).to.deep.equal([false, true, false]);
      });

    for (const fault of [
      'etag-gone',
      'wrong-start',
      'wrong-total',
      'unknown-total',
      'no-content-range',
      'not-satisfiable',
      'range-ignored',
    ])
      it(`continues in a response with the whole file, whose bytes it compares: ${fault} (FD20) (D8)`, async () => {
        const bytes = 12 * MIB;
        const result = await withReader([origin.url(`/cut/1/${bytes}/5?fault=${fault}`)], measure);
        expect(result.crc).to.equal(crcOfGenerated(bytes, 5));
        const position = Number(/^bytes=(\d+)-$/.exec(ranges()[1] ?? '')?.[1]);
        expect(ranges()).to.deep.equal(['', `bytes=${position}-`, '']);
        expect(result.fetched).to.equal(position + bytes);
      });
  });

  describe('without support for ranges', () => {
    for (const fault of ['empty-etag', 'empty-weak-etag', 'weak-etag', 'only-date'])
      it(`sends no range request with ${fault}, which identifies no bytes (F29) (FD20)`, async () => {
        const result = await withReader([origin.url(`/cut/1/${12 * MIB}/5?fault=${fault}`)], measure);
        expect(result.crc).to.equal(crcOfGenerated(12 * MIB, 5));
        expect(ranges()).to.deep.equal(['', '']);
      });

    it('does not continue when sequential (FD20, F31)', async () => {
      const url = origin.url(`/cut/1/${12 * MIB}/5?fault=range-ignored`);
      const error = await failureOf(withReader([url], measure, { sequential: true }));
      expect(error).to.include({ code: 'SourceTruncated', retryable: true });
      expect(ranges()).to.have.length(2);
    });
  });

  describe('before any byte was delivered', () => {
    for (const [fault, seed] of [
      ['weak-etag', 9],
      ['only-date', 9],
      ['not-satisfiable', 9],
      ['wrong-start', 9],
      // The first request is cut, the second finds another file, the third restarts from the beginning.
      ['replaced', 12],
    ] as const)
      it(`restarts the download: ${fault} (D6) (D8)`, async () => {
        const [entry] = await withReader([origin.url(`/cut/1/500000/9?fault=${fault}`)], readAll);
        expect(entry?.bytes.equals(generatedBytes(500_000, seed))).to.equal(true);
        expect(ranges().at(-1)).to.equal('');
      });

    it('delivers no byte that may repeat, also while it waits to retry', async () => {
      const list = [origin.url('/gen/10/1'), origin.url('/die/2000000/3000000/1?times=1')];
      const settings = { sourceRetryBaseMs: 400, sourceRetryMaxMs: 400 };
      await withReader(
        list,
        async (reader) => {
          for await (const entry of reader.entries()) {
            if (entry.index === 0) await until('the retry', () => reader.retries === 1, { limitMs: 15_000 });
            const body = await bodyOf(entry);
            if (entry.index === 1) expect(body.equals(generatedBytes(3_000_000, 1))).to.equal(true);
          }
        },
        { settings },
      );
    });
  });

  it('checks the address of the resumed connection again (S42)', async () => {
    const inner = await startFileOrigin({ host: '127.0.0.2' });
    let lookups = 0;
    function lookup() {
      lookups += 1;
      return Promise.resolve([{ address: lookups === 1 ? '127.0.0.1' : '127.0.0.2', family: 4 }]);
    }
    const options: HarnessOptions = { agent: { lookup }, settings: { sourceRetryLimitMs: 200 } };
    const url = `http://files.test.example:${origin.port}/cut/1/${4 * MIB}/8`;
    const error = await failureOf(withReader([url], measure, options));
    expect(error.code).to.equal('SourceUnreachable');
    expect(lookups).to.be.greaterThan(1);
    expect(inner.connections).to.equal(0);
    await inner[Symbol.asyncDispose]();
  });

  it('requests the rest only when the reader needs it', async () => {
    const bytes = 40 * MIB;
    await using server = await startFileOrigin({ routes: { '/reset-when-paused': resetWhenPaused(bytes) } });
    const settings = { sourceBufferBytes: 8 * MIB };
    await withReader(
      [server.url('/reset-when-paused')],
      async (reader) => {
        let crc = 0;
        let length = 0;
        let pauseAt = 0;
        for await (const { body } of reader.entries())
          for await (const chunk of body) {
            crc = crc32(chunk, crc);
            length += chunk.byteLength;
            if (length < pauseAt) continue;
            pauseAt += 15 * MIB;
            const seen = server.requests.length;
            await new Promise((resolve) => setTimeout(resolve, 200));
            expect(server.requests.length).to.be.at.most(seen + 1);
          }
        expect(crc).to.equal(crcOfGenerated(bytes, 2));
        expect(reader.bytesRead).to.equal(bytes);
        expect(server.requests.length).to.be.greaterThan(1);
      },
      { settings },
    );
  });
});
