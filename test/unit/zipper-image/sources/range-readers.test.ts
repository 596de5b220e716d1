/** Large files that are read from several places at a time. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import { expect } from 'chai';
import { EgressRefusedError } from '#runtime/egress/egress-refused-error.ts';
import { inOrderSink, KeptParts } from '#test/support/archives/in-order-sink.ts';
import { contentOf, readZip } from '#test/support/archives/read-zip.ts';
import { equalParts } from '#test/support/builders/equal-parts.ts';
import { generatedBytes, generatedPart } from '#test/support/builders/generated-bytes.ts';
import { type AskedRange, askedRange } from '#test/support/servers/asked-range.ts';
import { startFileOrigin } from '#test/support/servers/file-origin.ts';
import { type OriginRoute, send } from '#test/support/servers/origin-request.ts';
import { until } from '#test/support/until.ts';
import { createArchive } from '#zipper-image/archive/archive.ts';
import type { WrittenEntry } from '#zipper-image/archive/recorded-entry.ts';
import { SourceError } from '#zipper-image/sources/source-error.ts';
import { createPartWriter, type FilledPart, type PartWriter } from '#zipper-image/store/part-writer.ts';
import { type HarnessOptions, withReader } from './source-harness.ts';

const MIB = 1024 * 1024;
const BYTES = 5 * MIB;
const SEED = 7;
/** Within the third slice. */
const HELD_AT = 1.25 * MIB;
const ETAG = '"v1"';
const DATE = 'Sat, 03 Feb 2001 04:05:06 GMT';
const OLDER = 'Sat, 03 Feb 2001 04:05:05 GMT';
const PART_BYTES = MIB;
/** Of the slices. */
const SLICE_BYTES = MIB / 2;

interface Range extends AskedRange {
  /** From 1: how many ranges were requested before, with this one. */
  readonly nth: number;
}

interface Mood {
  readonly headers?: Readonly<Record<string, string>>;
  /** Responds to a range itself if it returns true. */
  readonly onRange?: (range: Range, response: ServerResponse) => boolean | Promise<boolean>;
  /** Closes the connection of a range after this number of bytes. */
  readonly cutAfter?: (range: Range) => number | undefined;
  readonly pauseMs?: number;
  /** The response without Range waits within its third slice until so many ranges were requested. Default 1. */
  readonly holdsUntil?: number;
  /** Waits there for this too. */
  readonly held?: () => Promise<void>;
  /** Another position of that wait. */
  readonly heldAt?: number;
  /** Closes the connection of the response without Range within its third slice, when a range was confirmed. */
  readonly cutsFirst?: boolean;
}

async function* paced({ from, to }: AskedRange, pauseMs: number): AsyncGenerator<Buffer> {
  for (const piece of generatedPart({ bytes: BYTES, seed: SEED, from, to })) {
    yield piece;
    await delay(pauseMs);
  }
}

/** About 10 MB/s for each connection. */
function slowFile({
  headers = { etag: ETAG },
  holdsUntil = 1,
  held,
  heldAt = HELD_AT,
  cutsFirst,
  onRange,
  cutAfter,
  pauseMs = 6,
}: Mood): OriginRoute {
  let ranges = 0;
  async function sendRange(asked: AskedRange, signal: AbortSignal, response: ServerResponse): Promise<void> {
    ranges += 1;
    const range = { ...asked, nth: ranges };
    if ((await onRange?.(range, response)) === true) return;
    const { from, to } = asked;
    const end = Math.min(to, from + (cutAfter?.(range) ?? Infinity));
    const contentRange = `bytes ${from}-${to - 1}/${BYTES}`;
    response.writeHead(206, { ...headers, 'content-length': to - from, 'content-range': contentRange });
    await send(response, paced({ from, to: end }, pauseMs), signal);
    if (end < to) response.destroy();
    else response.end();
  }
  return async ({ signal }, response: ServerResponse, incoming: IncomingMessage) => {
    const asked = askedRange(incoming, BYTES);
    if (asked) return sendRange(asked, signal, response);
    response.writeHead(200, { ...headers, 'content-length': BYTES });
    await send(response, paced({ from: 0, to: heldAt }, pauseMs), signal);
    await held?.();
    await until('the ranges', async () => ranges >= holdsUntil);
    if (cutsFirst === true) return void response.destroy();
    await send(response, paced({ from: heldAt, to: BYTES }, pauseMs), signal);
    response.end();
  };
}

interface Writing {
  readonly sink: PartWriter;
  readonly urls: readonly string[];
  readonly options: HarnessOptions;
}

async function writeArchive({ sink, urls, options }: Writing) {
  const settings = { sourceRangedBytes: 2 * MIB, sourceReadersTickMs: 20, ...options.settings };
  return withReader(
    urls,
    async (reader) => {
      const archive = createArchive({ compression: 'store', sink, sha256: true, sliceBytes: SLICE_BYTES });
      const written: Promise<WrittenEntry>[] = [];
      for await (const entry of reader.entries()) {
        const added = await archive.add({ ...entry, name: entry.filename, modified: new Date(0) });
        written.push(added.written);
      }
      const entries = await Promise.all(written);
      await archive.finish();
      await sink.finish();
      return { entries, retries: reader.retries, bytesRead: reader.bytesRead };
    },
    { ...options, settings },
  );
}

/** Small parts. */
function smallParts(send: (part: FilledPart) => Promise<void>): PartWriter {
  return createPartWriter({ ...equalParts(PART_BYTES, 8), checksum: 'crc32', send });
}

/** The archive of one file, in small parts and slices. */
async function download(mood: Mood, options: HarnessOptions = {}) {
  await using origin = await startFileOrigin({ routes: { '/file': slowFile(mood) } });
  const parts = new KeptParts();
  const sink = smallParts(async (part) => parts.add(part));
  const done = await writeArchive({ sink, urls: [origin.url('/file')], options });
  return {
    ...done,
    archive: parts.bytes,
    origin,
    ranges: origin.requests.filter(({ headers }) => headers['range']),
  };
}

/** What one reader makes of it. */
async function expected(): Promise<Buffer> {
  const chunks: Buffer[] = [];
  const sink = inOrderSink((bytes) => chunks.push(Buffer.from(bytes)));
  const archive = createArchive({ compression: 'store', sink });
  async function* body() {
    yield* generatedPart({ bytes: BYTES, seed: SEED, from: 0, to: BYTES });
  }
  await archive.add({
    name: 'file-0',
    modified: new Date(0),
    declaredLength: BYTES,
    body: body(),
    small: undefined,
  });
  await archive.finish();
  await sink.finish();
  return Buffer.concat(chunks);
}

describe('a large file', () => {
  let whole: Buffer;
  before(async () => {
    whole = await expected();
    const [entry] = readZip(whole).entries;
    expect(contentOf(entry!).equals(generatedBytes(BYTES, SEED))).to.equal(true);
  });

  it('is read by several exact ranges, to the same bytes', async () => {
    const { archive, ranges, origin, entries } = await download({ holdsUntil: 4 });
    expect(archive.equals(whole)).to.equal(true);
    expect(ranges.length).to.be.within(4, BYTES / SLICE_BYTES + 4);
    expect(ranges.every(({ headers }) => headers['if-range'] === ETAG)).to.equal(true);
    expect(origin.peakConnections).to.be.within(2, 16);
    expect(entries[0]).to.have.property('sha256').with.length(64);
  });

  for (const [what, onRange] of [
    [
      'status 200',
      (_: Range, response: ServerResponse) => void response.writeHead(200, { etag: ETAG }).end('whole'),
    ],
    ['status 403', (_: Range, response: ServerResponse) => void response.writeHead(403).end()],
    [
      'another range',
      ({ from, to }: Range, response: ServerResponse) =>
        void response
          .writeHead(206, { etag: ETAG, 'content-range': `bytes ${from + 1}-${to}/${BYTES}` })
          .end(Buffer.alloc(to - from)),
    ],
    [
      'another version',
      ({ from, to }: Range, response: ServerResponse) =>
        void response
          .writeHead(206, { etag: '"v2"', 'content-range': `bytes ${from}-${to - 1}/${BYTES}` })
          .end(Buffer.alloc(to - from)),
    ],
  ] as const)
    it(`has one reader if the first range gets ${what} (P103)`, async () => {
      const { archive, ranges } = await download({
        onRange: (range, response) => {
          onRange(range, response);
          return true;
        },
        pauseMs: 1,
      });
      expect(archive.equals(whole)).to.equal(true);
      expect(ranges.length).to.equal(1);
    });

  for (const [what, fail] of [
    ['status 500', (response: ServerResponse) => void response.writeHead(500).end()],
    ['status 503', (response: ServerResponse) => void response.writeHead(503).end()],
    ['a closed connection', (response: ServerResponse) => void response.destroy()],
    ['a reset connection', (response: ServerResponse) => void response.req.socket.resetAndDestroy()],
  ] as const)
    it(`is read by ranges although the first one gets ${what} (P103)`, async () => {
      const { archive, ranges } = await download({
        holdsUntil: 3,
        onRange: ({ nth }, response) => {
          if (nth === 1) fail(response);
          return nth === 1;
        },
      });
      expect(archive.equals(whole)).to.equal(true);
      expect(ranges.length).to.be.above(3);
    });

  it('has one reader if the first range gets status 500 three times (P103)', async () => {
    const { archive, ranges, retries } = await download({
      holdsUntil: 3,
      onRange: (_, response) => {
        response.writeHead(500).end();
        return true;
      },
    });
    expect(archive.equals(whole)).to.equal(true);
    expect([ranges.length, retries]).to.deep.equal([3, 2]);
  });

  it('continues a range that breaks off at its position (P102)', async () => {
    const { archive, ranges, retries } = await download({
      holdsUntil: 3,
      cutAfter: ({ nth }) => (nth % 2 === 0 ? SLICE_BYTES / 4 : undefined),
    });
    expect(archive.equals(whole)).to.equal(true);
    expect(retries).to.be.above(0);
    expect(ranges.length).to.be.at.most(BYTES / SLICE_BYTES + 4 + retries);
  });

  it('repeats a range that gets another version from one server of several (P102)', async () => {
    let others = 0;
    const { archive, retries } = await download({
      holdsUntil: 3,
      onRange: ({ nth }, response) => {
        if (nth !== 3) return false;
        others += 1;
        response.writeHead(200, { etag: '"v2"', 'content-length': BYTES }).end();
        return true;
      },
    });
    expect(archive.equals(whole)).to.equal(true);
    expect([others, retries]).to.deep.equal([1, 1]);
  });

  it('is finished by ranges if its first response breaks off (P102)', async () => {
    const { archive, origin, ranges } = await download({ holdsUntil: 2, cutsFirst: true });
    expect(archive.equals(whole)).to.equal(true);
    // Another response without Range could be of another version, while the ranges are of this one.
    expect(origin.requests.length - ranges.length).to.equal(1);
  });

  for (const [what, headers] of [
    ['no validator', {}],
    ['a weak ETag', { etag: 'W/"v1"' }],
    ['a Last-Modified of this second', { date: DATE, 'last-modified': DATE }],
  ] as const)
    it(`has one reader if its source has ${what} (P106)`, async () => {
      const { archive, ranges } = await download({ headers, holdsUntil: 0, pauseMs: 1 });
      expect(archive.equals(whole)).to.equal(true);
      expect(ranges).to.have.length(0);
    });

  it('is complete although its source resets what is above four connections (P105) (FD3)', async () => {
    let open = 0;
    let refused = 0;
    const { archive, ranges } = await download({
      holdsUntil: 6,
      onRange: (_range, response) => {
        // The first reader has one.
        if (open >= 3) {
          refused += 1;
          response.req.socket.destroy();
          return true;
        }
        open += 1;
        response.once('close', () => {
          open -= 1;
        });
        return false;
      },
    });
    expect(archive.equals(whole)).to.equal(true);
    expect(ranges.length).to.be.at.most(BYTES / SLICE_BYTES + 4 + refused);
  });

  it('is complete although its source counts requests and throttles (P105) (FD2)', async () => {
    let throttled = 0;
    const { archive } = await download({
      holdsUntil: 5,
      onRange: ({ nth }, response) => {
        if (nth % 4 !== 0) return false;
        throttled += 1;
        response.writeHead(429, { 'retry-after': '0' }).end();
        return true;
      },
    });
    expect(archive.equals(whole)).to.equal(true);
    expect(throttled).to.be.greaterThan(0);
  });

  it('shares the connections of its origin with others, and with their ranges (P111)', async () => {
    await using origin = await startFileOrigin({ routes: { '/file': slowFile({ holdsUntil: 2 }) } });
    const sink = smallParts(async () => undefined);
    const urls = Array.from({ length: 3 }, (_, index) => origin.url(`/file?${index}`));
    await writeArchive({ sink, urls, options: { settings: { sourcePerHostReaders: 4 } } });
    expect(origin.requests.filter(({ headers }) => headers['range'])).to.have.length.above(4);
    // One that the reader ended may not be closed yet.
    expect(origin.peakConnections).to.be.at.most(5);
  });

  it('asks for a range again if the first one got no connection in time (P103)', async () => {
    const passed = Promise.withResolvers<void>();
    const first = slowFile({
      held: () => passed.promise,
      onRange: async () => {
        await passed.promise;
        return false;
      },
    });
    // Continues only when a range is requested, after its reader has reached the slice of the first range.
    const second = slowFile({ heldAt: 4.5 * MIB, pauseMs: 1, held: async () => passed.resolve() });
    await using origin = await startFileOrigin({ routes: { '/first': first, '/second': second } });
    const urls = [origin.url('/first'), origin.url('/second')];
    const settings = { sourcePerHostReaders: 3 };
    const sink = smallParts(async () => undefined);
    // Without a range, the second source ends its response.
    expect(await writeArchive({ sink, urls, options: { settings } })).to.include({ retries: 0 });
  });

  it('is read by ranges if its source has an older Last-Modified (P106)', async () => {
    const { archive, ranges } = await download({ headers: { date: DATE, 'last-modified': OLDER } });
    expect(archive.equals(whole)).to.equal(true);
    expect(ranges.length).to.be.above(1);
    expect(ranges.every(({ headers }) => headers['if-range'] === OLDER)).to.equal(true);
  });

  it('has one reader if the first range is redirected to an address that is not allowed (P107)', async () => {
    const { archive, ranges } = await download({
      onRange: (_, response) => {
        response.writeHead(302, { location: 'http://127.0.0.9/file' }).end();
        return true;
      },
      pauseMs: 1,
    });
    expect(archive.equals(whole)).to.equal(true);
    expect(ranges.length).to.be.within(1, 3);
  });

  it('fails if a later range is redirected to an address that is not allowed (P107)', async () => {
    const mood: Mood = {
      holdsUntil: 2,
      onRange: ({ nth }, response) => {
        if (nth === 1) return false;
        response.writeHead(302, { location: 'http://127.0.0.9/file' }).end();
        return true;
      },
    };
    const causes: unknown[] = [];
    const failing = download(mood, {
      settings: { sourceRetryLimitMs: 20 },
      onUnreachable: (cause) => causes.push(cause),
    });
    expect(await failing.catch((error: unknown) => error)).to.be.instanceOf(SourceError);
    expect(causes[0]).to.be.instanceOf(EgressRefusedError);
  });

  it('has one reader if its source serves one request at a time (P104)', async () => {
    const held = Promise.withResolvers<boolean>();
    const { archive, ranges } = await download({ onRange: () => held.promise, pauseMs: 1 });
    held.resolve(true);
    expect(archive.equals(whole)).to.equal(true);
    expect(ranges).to.have.length(1);
  });
});
