import { once } from 'node:events';
import { crc32, gzipSync } from 'node:zlib';
import { expect } from 'chai';
import { createEgressPolicy } from '#runtime/egress/egress-policy.ts';
import { createGuardedAgent } from '#runtime/egress/guarded-agent.ts';
import { createLogger } from '#runtime/log/log.ts';
import { inOrderSink } from '#test/support/archives/in-order-sink.ts';
import { contentOf, readZip } from '#test/support/archives/read-zip.ts';
import { generatedBytes } from '#test/support/builders/generated-bytes.ts';
import { startFileOrigin } from '#test/support/servers/file-origin.ts';
import { type OriginRoute, send } from '#test/support/servers/origin-request.ts';
import { until } from '#test/support/until.ts';
import { createArchive } from '#zipper-image/archive/archive.ts';
import { ZIPPER_DEFAULTS } from '#zipper-image/config.ts';
import { type DownloadRequest, download } from '#zipper-image/sources/download.ts';
import { createDownloadDeps } from '#zipper-image/sources/fetch-source.ts';
import {
  BYTES,
  changedAt,
  FILE,
  inPieces,
  MIB,
  type RepliesRead,
  readReplies,
  replying,
  startReplies,
} from './replies-harness.ts';
import { bodyOf, failureOf, type Reader, readAll, withReader } from './source-harness.ts';

/** The whole file was read with this many requests, none of them for a range. */
function expectWhole({ error, bytes, ranges }: RepliesRead, requests: number, body = FILE) {
  expect(error).to.equal(undefined);
  expect(bytes.equals(body)).to.equal(true);
  expect(ranges).to.deep.equal(Array<undefined>(requests).fill(undefined));
}

/** A download of FILE in a process that knows only what another one received. */
async function downloadAfter(url: string, crc: number, bytes: number) {
  const policy = createEgressPolicy({ allowCidrs: ['127.0.0.1/32'], denyCidrs: [] });
  const agent = createGuardedAgent(policy, { connections: 1, connectTimeoutMs: 10_000 });
  const settings = ZIPPER_DEFAULTS;
  const log = createLogger('test', { level: 'error' });
  const chunks: Buffer[] = [];
  const request: DownloadRequest = {
    index: 0,
    filename: 'file',
    url,
    sink: {
      start: () => chunks.push(Buffer.from('not continued')),
      continue: () => undefined,
      write: (chunk) => chunks.push(Buffer.from(chunk)),
    },
    signal: new AbortController().signal,
    resume: undefined,
    prefix: { bytes, crc32: crc, total: BYTES, lengthUnverified: false },
  };
  const deps = createDownloadDeps({ agent, policy, settings, log, onUnreachable: undefined });
  const error = await download(request, deps).catch((thrown: unknown) => thrown);
  await agent.destroy();
  return { error, bytes: Buffer.concat(chunks) };
}

describe('a source without ranges that breaks off while its entry is written', () => {
  it('continues in a response with the same first bytes, and reads only that again (FD20)', async () => {
    const result = await readReplies([{ cutAt: 2 * MIB }, {}]);
    expectWhole(result, 2);
    expect(result.retries).to.equal(1);
    expect(result.bytesRead).to.equal(2 * MIB + BYTES);
  });

  it('continues after each break, also of a response that only repeats bytes (FD20)', async () => {
    const replies = [{ cutAt: 3 * MIB }, { cutAt: MIB }, { cutAt: 3 * MIB }, { cutAt: 4 * MIB }, {}];
    const result = await readReplies(replies);
    expectWhole(result, 5);
    expect(result.bytesRead).to.equal(11 * MIB + BYTES);
  });

  it('is requested as often as it gets further (FD20)', async () => {
    const settings = { sourceRetryLimitMs: 1 };
    const replies = Array.from({ length: 8 }, (_, index) => ({ cutAt: (2 + index / 2) * MIB }));
    expectWhole(await readReplies([...replies, {}], { settings }), 9);
  });

  it('contains only the new version if that differs only behind what was read (FD20, D8, H2)', async () => {
    const body = changedAt(2 * MIB);
    expectWhole(await readReplies([{ cutAt: 2 * MIB }, { body }]), 2, body);
  });

  it('continues without a declared length (FD20)', async () => {
    const settings = { sourceIdleTimeoutMs: 100 };
    for (const undeclared of ['chunked', 'close'] as const) {
      expectWhole(await readReplies([{ stallAt: 2 * MIB, undeclared }, { undeclared }], { settings }), 2);
    }
  });

  it('continues if only one of both responses declares a length (FD20)', async () => {
    expectWhole(await readReplies([{ cutAt: 2 * MIB, undeclared: 'chunked' }, {}]), 2);
    expectWhole(await readReplies([{ cutAt: 2 * MIB }, { undeclared: 'close' }]), 2);
  });

  it('continues a gzip-coded body as it is (FD20)', async () => {
    const body = gzipSync(FILE, { level: 0 });
    const headers = { 'content-encoding': 'gzip', etag: 'W/"a"' };
    const reply = { body, headers };
    expectWhole(await readReplies([{ ...reply, cutAt: 2 * MIB }, reply]), 2, body);
  });

  it('continues whatever its weak ETag and Last-Modified say, because the bytes decide (FD20)', async () => {
    const headers = { etag: 'W/"b"', 'last-modified': 'Wed, 21 Oct 2015 07:28:00 GMT' };
    expectWhole(await readReplies([{ cutAt: 2 * MIB, headers: { etag: 'W/"a"' } }, { headers }]), 2);
  });

  it('continues what an invalid end of a body left, because the bytes decide (FD20)', async () => {
    const raw = 'this is no chunk size\r\n';
    const result = await readReplies([
      { cutAt: 2 * MIB, undeclared: 'chunked', raw },
      { undeclared: 'chunked' },
    ]);
    expectWhole(result, 2);
  });

  it('continues after a status that may pass, and after a redirect (FD20)', async () => {
    const file = replying([{ cutAt: 2 * MIB }, {}]);
    let seen = 0;
    await using origin = await startFileOrigin({
      routes: {
        '/file': (request, response, incoming) => {
          seen += 1;
          if (seen === 2) return void response.writeHead(503).end();
          return file({ ...request, seen: seen === 1 ? 1 : 2 }, response, incoming);
        },
        '/moved': (_request, response) => void response.writeHead(302, { location: '/file' }).end(),
      },
    });
    const bytes = await withReader([origin.url('/moved')], async (reader) => {
      for await (const entry of reader.entries()) return await bodyOf(entry);
      return Buffer.alloc(0);
    });
    expect(bytes.equals(FILE)).to.equal(true);
  });

  it('keeps its limits while bytes are repeated (FD20, D10)', async () => {
    const settings = { sourceIdleTimeoutMs: 100 };
    expectWhole(await readReplies([{ cutAt: 2 * MIB }, { stallAt: MIB }, {}], { settings }), 3);
    const undeclared = 'chunked';
    const body = generatedBytes(BYTES + 1, 1);
    const tooLarge = await readReplies(
      [
        { cutAt: 2 * MIB, undeclared },
        { body, undeclared },
      ],
      {
        settings: { maxArchiveBytes: BYTES },
      },
    );
    expect(tooLarge.error).to.include({ code: 'SourceTooLarge', retryable: false });
    expect(tooLarge.ranges).to.have.length(2);
  });

  it('continues at 64 MiB (FD20)', async () => {
    const body = Buffer.alloc(66 * MIB);
    expectWhole(await readReplies([{ body, cutAt: 64 * MIB }, { body }]), 2, body);
  });

  it('continues if missing files are left out (FD20)', async () => {
    expectWhole(await readReplies([{ cutAt: 2 * MIB }, {}], { reportFailures: true }), 2);
  });

  it('repeats no byte into memory, also for a consumer that pauses (FD20)', async () => {
    const cutAt = 10 * MIB;
    const body = generatedBytes(12 * MIB, 1);
    await using origin = await startReplies([{ body, cutAt }, { body, cutAt }, { body }]);
    const settings = { sourceBufferBytes: 4 * MIB };
    async function slowly(reader: Reader): Promise<void> {
      let at = 0;
      let pauseAt = 0;
      let held = 0;
      for await (const entry of reader.entries())
        for await (const chunk of entry.body) {
          expect(body.subarray(at, at + chunk.length).equals(chunk)).to.equal(true);
          at += chunk.length;
          held = Math.max(held, reader.bytesHeld);
          if (at < pauseAt) continue;
          pauseAt = at + 2 * MIB;
          await new Promise((resolve) => setTimeout(resolve, 5));
        }
      expect(at).to.equal(body.length);
      expect(held).to.be.at.most(4 * MIB);
      expect(reader.bytesRead).to.equal(2 * cutAt + body.length);
    }
    await withReader([origin.url('/file')], slowly, { settings });
  });

  it('continues after its server closed a connection that was not read (FD20)', async () => {
    // More than the buffers of the reader and of both sockets.
    const body = generatedBytes(24 * MIB, 1);
    let isClosed = false;
    const closeUnread: OriginRoute = async ({ seen, signal }, response) => {
      response.writeHead(200, { 'content-length': body.length });
      if (seen > 1) {
        await send(response, inPieces(body), signal);
        response.end();
        return;
      }
      for (const piece of inPieces(body)) {
        if (response.write(piece)) continue;
        const limit = AbortSignal.timeout(50);
        isClosed = await once(response, 'drain', { signal: limit }).then(
          () => false,
          () => true,
        );
        if (isClosed) return void response.destroy();
      }
    };
    await using origin = await startFileOrigin({ routes: { '/file': closeUnread } });
    async function slowly(reader: Reader): Promise<void> {
      let at = 0;
      for await (const entry of reader.entries())
        for await (const chunk of entry.body) {
          expect(body.subarray(at, at + chunk.length).equals(chunk)).to.equal(true);
          at += chunk.length;
          await until('the server to close the connection', () => isClosed, { limitMs: 15_000 });
        }
      expect(at).to.equal(body.length);
      expect(origin.requests).to.have.length(2);
    }
    await withReader([origin.url('/file')], slowly, { settings: { sourceBufferBytes: 4 * MIB } });
  });

  it('leaves the files behind it as they are (FD20)', async () => {
    await using origin = await startReplies([{ cutAt: 3 * MIB }, { cutAt: 2 * MIB }, {}]);
    const urls = [origin.url('/file'), ...[2, 3, 4].map((seed) => origin.url(`/gen/${3 * MIB}/${seed}`))];
    const settings = { sourceBufferBytes: 6 * MIB, sourceParkedMaxMs: 20, sourceRetryBaseMs: 60 };
    await withReader(
      urls,
      async (reader) => {
        for await (const entry of reader.entries()) {
          const { index } = entry;
          const want = index === 0 ? FILE : generatedBytes(3 * MIB, index + 1);
          expect((await bodyOf(entry)).equals(want), String(index)).to.equal(true);
        }
      },
      { settings },
    );
  });

  it('has its own bytes in the archive (FD20, H2)', async () => {
    await using origin = await startReplies([{ cutAt: 3 * MIB }, { cutAt: 2 * MIB }, {}]);
    const chunks: Buffer[] = [];
    const sink = inOrderSink((bytes) => chunks.push(Buffer.from(bytes)));
    const archive = createArchive({ compression: 'store', sink });
    await withReader([origin.url('/file')], async (reader) => {
      for await (const entry of reader.entries())
        await archive.add({ ...entry, name: entry.filename, modified: new Date(0) });
    });
    await archive.finish();
    await sink.finish();
    const { entries } = readZip(Buffer.concat(chunks));
    expect(entries.map((entry) => contentOf(entry).equals(FILE))).to.deep.equal([true]);
  });

  it('continues after a position, a CRC-32 and a length from elsewhere (FD20)', async () => {
    await using origin = await startReplies([{}]);
    const at = 3 * MIB;
    const { error, bytes } = await downloadAfter(origin.url('/file'), crc32(FILE.subarray(0, at)), at);
    expect(error).to.equal(undefined);
    expect(bytes.equals(FILE.subarray(at))).to.equal(true);
    const other = await downloadAfter(origin.url('/file'), 1, at);
    expect(other.error).to.include({ code: 'SourceChanged' });
    expect(other.bytes).to.have.length(0);
  });

  it('ends with its signal while bytes are repeated', async () => {
    const stop = new AbortController();
    await using origin = await startReplies([{ cutAt: 3 * MIB }, { stallAt: MIB }]);
    const reading = withReader(
      [origin.url('/file')],
      async (reader) => {
        const ended = failureOf(readAll(reader)).catch((error: unknown) => error);
        await until('repeated bytes', () => reader.bytesRead === 4 * MIB, { limitMs: 15_000 });
        stop.abort(new Error('stopping'));
        await ended;
      },
      { signal: stop.signal },
    );
    await reading;
    await until('no connection', () => origin.openConnections === 0, { limitMs: 15_000 });
  });
});
