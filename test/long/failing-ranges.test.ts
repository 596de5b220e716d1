/** A large file of which one range in twenty fails, through the process of a zipper: the same bytes as without failures. */
import type { ServerResponse } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import { expect } from 'chai';
import { measure } from '#test/bench/measured-run.ts';
import { generatedPart } from '#test/support/builders/generated-bytes.ts';
import { ZipperHost } from '#test/support/processes/zipper-process.ts';
import { createRandom, type Random } from '#test/support/random.ts';
import { type AskedRange, askedRange } from '#test/support/servers/asked-range.ts';
import { startDiscardingStore } from '#test/support/servers/discarding-store.ts';
import { startFileOrigin } from '#test/support/servers/file-origin.ts';
import { type OriginRoute, send } from '#test/support/servers/origin-request.ts';
import { sized } from '#test/support/sized.ts';

const MIB = 1024 ** 2;
const BYTES = sized(1024, 20 * 1024) * MIB;
const SEED = 7;
const CHUNK_BYTES = 256 * 1024;
const SHARE = 0.05;
const HEADERS = { etag: '"1"', 'last-modified': 'Fri, 02 Jan 2026 03:04:06 GMT' };
/** So slow that ranges gain time. */
const FIRST_PAUSE_MS = 20;

type Fault = 'none' | 'unavailable' | 'reset' | 'cut';

interface AskedFor extends AskedRange {
  readonly fault: Fault;
  readonly signal: AbortSignal;
}

function pieces({ from, to }: AskedRange) {
  return generatedPart({ bytes: BYTES, seed: SEED, from, to, chunkBytes: CHUNK_BYTES });
}

async function* slowly(part: AskedRange): AsyncGenerator<Buffer> {
  for (const piece of pieces(part)) {
    yield piece;
    await delay(FIRST_PAUSE_MS);
  }
}

async function sendRange(response: ServerResponse, { from, to, fault, signal }: AskedFor) {
  if (fault === 'reset') return void response.req.socket.destroy();
  if (fault === 'unavailable') return void response.writeHead(503).end();
  const range = { 'content-range': `bytes ${from}-${to - 1}/${BYTES}`, 'content-length': to - from };
  response.writeHead(206, { ...HEADERS, ...range });
  const end = fault === 'cut' ? Math.floor((from + to) / 2) : to;
  await send(response, pieces({ from, to: end }), signal);
  if (end < to) response.req.socket.destroy();
  else response.end();
}

/** Which ranges fail is the same in each run. */
function routeOf(share: number, random: Random, failed: Fault[]): OriginRoute {
  return async ({ signal }, response, incoming) => {
    const part = askedRange(incoming, BYTES);
    if (!part) {
      response.writeHead(200, { ...HEADERS, 'content-length': BYTES });
      await send(response, slowly({ from: 0, to: BYTES }), signal);
      response.end();
      return;
    }
    const fault =
      random.int(0, 999) < share * 1000 ? random.pick(['unavailable', 'reset', 'cut'] as const) : 'none';
    if (fault !== 'none') failed.push(fault);
    await sendRange(response, { ...part, fault, signal });
  };
}

describe('a large file whose ranges fail', function () {
  this.timeout(sized(1, 20) * 300_000);
  let host: ZipperHost;
  before(async () => {
    host = await ZipperHost.start();
  });
  after(() => host[Symbol.asyncDispose]());

  async function archiveWith(share: number) {
    const failed: Fault[] = [];
    await using store = await startDiscardingStore({ digests: true });
    await using origin = await startFileOrigin({
      routes: { '/file': routeOf(share, createRandom(SEED), failed) },
    });
    const program = await host.prepare({
      endpoint: store.endpoint,
      bucket: 'bucket',
      key: 'a.zip',
      files: [{ url: origin.url('/file'), filename: 'file' }],
    });
    const { peakBytes } = await measure(program);
    const { peakConnections, requests } = origin;
    console.log(
      `      ${failed.length} of ${requests.length} requests failed, ${(peakBytes / MIB).toFixed(0)} MiB, ${peakConnections} connections`,
    );
    return {
      checksums: [...store.checksums].sort(([a], [b]) => a - b),
      peakBytes,
      failed,
      requests,
      peakConnections,
    };
  }

  it(`has the same bytes if one range in twenty fails, within the memory and the connections of others (P114)`, async () => {
    const whole = await archiveWith(0);
    const failing = await archiveWith(SHARE);
    expect(failing.checksums).to.deep.equal(whole.checksums);
    expect(new Set(failing.failed)).to.deep.equal(new Set(['unavailable', 'reset', 'cut']));
    for (const { peakBytes, peakConnections } of [whole, failing]) {
      expect(peakBytes).to.be.at.most(230 * MIB);
      expect(peakConnections).to.be.at.most(17);
    }
    const slices = BYTES / (4 * MIB);
    expect(whole.requests.length).to.be.at.most(1.05 * slices + 4);
    expect(failing.requests.length).to.be.at.most(1.05 * slices + 4 + failing.failed.length);
  });
});
