import { once } from 'node:events';
import { createServer } from 'node:https';
import { type AddressInfo, createServer as createTcpServer, type Socket } from 'node:net';
import { expect } from 'chai';
import type { ListedFile } from '#crds/zip-job.ts';
import type { SourceCheck } from '#crds/zip-outcome.ts';
import { type FileOrigin, startFileOrigin } from '#test/support/servers/file-origin.ts';
import type { OriginRoute } from '#test/support/servers/origin-request.ts';
import { certificateText } from '#test/support/servers/tls-front.ts';
import { until } from '#test/support/until.ts';
import { failureOf, type HarnessOptions, type Reader, readAll, withReader } from './source-harness.ts';

const KIB = 1024;
const EXPIRED = 'X-Amz-Date=20200101T000000Z&X-Amz-Expires=60&X-Amz-Signature=s';

/** A server that accepts connections, but never finishes a handshake. */
async function startMute(): Promise<{ readonly port: number } & AsyncDisposable> {
  const sockets = new Set<Socket>();
  const server = createTcpServer((socket) => sockets.add(socket.on('error', () => undefined)));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  async function close(): Promise<void> {
    for (const socket of sockets) socket.destroy();
    server.close();
    await once(server, 'close');
  }
  return { port, [Symbol.asyncDispose]: close };
}

/** Reads until the first failure, and then checks the other sources. */
function check(
  urls: readonly string[],
  options: HarnessOptions = {},
  signal: AbortSignal = new AbortController().signal,
): Promise<SourceCheck> {
  return withReader(
    urls,
    async (reader: Reader) => {
      await failureOf(readAll(reader));
      await reader[Symbol.asyncDispose]();
      await reader.checkOthers(signal);
      return reader.known.summary();
    },
    { settings: { sourceRetryLimitMs: 0, ...options.settings }, ...options },
  );
}

describe('the check of the other sources', () => {
  let origin: FileOrigin;
  const all: FileOrigin[] = [];
  async function start(...options: Parameters<typeof startFileOrigin>): Promise<FileOrigin> {
    const started = await startFileOrigin(...options);
    all.push(started);
    return started;
  }
  beforeEach(async () => {
    origin = await start();
  });
  afterEach(async () => {
    for (const one of all.splice(0)) await one[Symbol.asyncDispose]();
  });

  /** How often each path was requested. */
  function counts(): Readonly<Record<string, number>> {
    return Object.fromEntries(
      [...Map.groupBy(origin.requests, ({ path }) => path)].map(([path, { length }]) => [path, length]),
    );
  }
  function many(count: number, path: (n: number) => string): string[] {
    return Array.from({ length: count }, (_, n) => origin.url(path(n)));
  }

  it('reports every bad source with its code, and a refused address or port as unreachable only (C4)', async () => {
    const tls = await start({
      scheme: 'https',
      makeServer: (listener) =>
        createServer(
          { cert: certificateText('self-signed.pem'), key: certificateText('server.key') },
          listener,
        ),
    });
    // The body of this error never ends.
    const gone: OriginRoute = (_request, response) => {
      response.writeHead(410).write('g');
    };
    const slow = await start({ routes: { '/gone': gone } });
    await using mute = await startMute();
    const bad: readonly (readonly [string, string, number?])[] = [
      [origin.url('/status/404'), 'SourceNotFound', 404],
      [origin.url(`/status/403?${EXPIRED}`), 'SourceExpired', 403],
      [slow.url('/gone'), 'SourceNotFound', 410],
      [origin.url('/status/500'), 'SourceUnavailable', 500],
      // The definition of ZipJob allows no such status.
      [origin.url('/status/999'), 'SourceNotFound'],
      [origin.url('/silent'), 'SourceStalled'],
      [origin.url('/redirect/302'), 'SourceInvalid', 302],
      [tls.url('/gen/1/1'), 'SourceTlsError'],
      [`https://127.0.0.1:${mute.port}/`, 'SourceUnreachable'],
      ['http://10.0.0.1/', 'SourceUnreachable'],
      ['http://localhost.internal/', 'SourceUnreachable'],
      [origin.url('/redirect/302?to=http%3A%2F%2F10.0.0.1%2F'), 'SourceUnreachable'],
      [origin.url('/redirect/302?to=http%3A%2F%2F127.0.0.1%3A22%2F'), 'SourceUnreachable'],
    ];
    const good = [origin.url('/gen/70000/1'), origin.url('/chunked/10/2'), 'data:,abc'];
    const urls = [...good, ...bad.map(([url]) => url), origin.url('/gen/300/3')];
    const settings = { sourceRetryLimitMs: 0, sourceCheckLimitMs: 2500, sourceConcurrency: 16 };
    const found = await check(urls, { settings });
    expect(found).to.deep.equal({
      checked: urls.length,
      failed: bad.length,
      failures: bad.map(([, code, httpStatus], n) => ({
        fileIndex: good.length + n,
        code,
        ...(httpStatus !== undefined && { httpStatus }),
      })),
      bytes: 70_000 + 3 + 300,
      lengths: 3,
    });
  });

  it('compares stated sizes and media types, and no checksums (FD10)', async () => {
    const [html, other] = ['text/html', 'text/plain'].map(
      (type): OriginRoute =>
        (_request, response) => {
          response.writeHead(200, { 'content-type': type }).end('abc');
        },
    );
    const typed = await start({ routes: { '/html': html!, '/other': other! } });
    const cases: readonly (readonly [string, Partial<ListedFile>, string?])[] = [
      [origin.url('/status/404'), {}, 'SourceNotFound'],
      [origin.url('/gen/70000/1'), { size: 70_000, crc32: '00000000' }],
      [origin.url('/gen/70000/2'), { size: 70_001 }, 'SourceMismatch'],
      [origin.url('/chunked/10/2'), { size: 11 }],
      [origin.url('/gen/10/3'), { sha256: '0'.repeat(64) }],
      [typed.url('/html'), { contentType: 'text/HTML' }],
      [typed.url('/other'), { contentType: 'text/html' }, 'SourceMismatch'],
      ['data:,abc', { size: 3, crc32: '00000000' }],
      ['data:,abcd', { size: 3 }, 'SourceMismatch'],
      ['data:,abc', { contentType: 'text/html' }, 'SourceMismatch'],
    ];
    const files = cases.map(([, stated]) => stated);
    const found = await check(
      cases.map(([url]) => url),
      { settings: { sourceRetryLimitMs: 0, sourceConcurrency: 1 }, files },
    );
    const wanted = cases.flatMap(([, , code], fileIndex) =>
      code === undefined ? [] : [{ fileIndex, code }],
    );
    expect(found.failures.map(({ fileIndex, code }) => ({ fileIndex, code }))).to.deep.equal(wanted);
    expect(found).to.include({ checked: cases.length, failed: wanted.length });
  });

  it('says nothing about refused addresses in its log, which users can read (C4, N22)', async () => {
    const lines: string[] = [];
    const urls = [origin.url('/status/404'), 'http://10.0.0.1/', 'http://10.0.0.2/', 'http://169.254.1.1/'];
    const settings = { sourceRetryLimitMs: 0, sourceConcurrency: 1 };
    const found = await check(urls, { settings, onLog: (line) => lines.push(line) });
    expect(lines.join(''))
      .to.contain('checked the sources')
      .and.to.not.match(/refused|private|link-local/i);
    expect(JSON.stringify(found)).not.to.contain('private');
  });

  it('lists the first 100 bad sources in order, and counts all (C4)', async () => {
    const found = await check(many(250, (n) => (n % 2 === 0 ? `/status/404?${n}` : `/gen/10/${n}`)));
    expect(found).to.include({ checked: 250, failed: 125, bytes: 1250, lengths: 125 });
    expect(found.failures.map(({ fileIndex }) => fileIndex)).to.deep.equal(
      Array.from({ length: 100 }, (_, n) => 2 * n),
    );
  });

  it('requests each source at most once more, and none that was read or has responded (C4)', async () => {
    const urls = [
      ...many(20, (n) => `/gen/1000/${n}`),
      origin.url('/status/404'),
      ...many(300, (n) => `/gen/2000/${n}`),
      'data:,abc',
    ];
    const found = await check(urls, { headers: { 'x-own': 'secret' } });
    expect(found).to.include({ checked: 322, failed: 1, bytes: 20_000 + 600_000 + 3 });
    const requested = Object.entries(counts());
    expect(requested).to.have.length(321);
    for (const [path, count] of requested)
      expect(count, path).to.be.at.most(path.startsWith('/gen/2') ? 2 : 1);
    // Downloads that the failure cancelled before their response are requested again.
    expect(origin.requests.length).to.be.at.most(321 + 32);
    expect(origin.requests.every(({ headers }) => headers['x-own'] === 'secret')).to.equal(true);
  });

  it('does not count a download that was interrupted and has resumed as a bad source', async () => {
    let isResumed = false;
    const late: OriginRoute = async (_request, response) => {
      await until('the download to resume', () => isResumed);
      response.writeHead(404).end();
    };
    const cut: OriginRoute = ({ seen }, response) => {
      const range = seen > 1 && { 'content-range': `bytes ${KIB}-${4 * KIB - 1}/${4 * KIB}` };
      const length = seen > 1 ? 3 * KIB : 4 * KIB;
      response.writeHead(seen > 1 ? 206 : 200, { etag: '"a"', 'content-length': length, ...range });
      response.write(Buffer.alloc(KIB), () => {
        if (seen === 1) response.socket?.destroy();
      });
    };
    const resuming = await start({ routes: { '/late': late, '/cut': cut } });
    await withReader([resuming.url('/late'), resuming.url('/cut')], async (reader) => {
      const failed = failureOf(readAll(reader));
      await until('more bytes than before the interruption', () => reader.bytesRead > KIB);
      isResumed = true;
      await failed;
      const counts = { checked: 2, failed: 1, bytes: 4 * KIB, lengths: 1 };
      expect(reader.known.summary()).to.include(counts);
    });
  });

  it('keeps connections of short bodies, and closes those of long ones at their heads', async () => {
    await check([origin.url('/status/404'), ...many(500, (n) => `/gen/${16 * KIB}/${n}`)]);
    expect(origin.connections).to.be.at.most(2 * 32);
    const long = await start();
    const urls = Array.from({ length: 50 }, (_, n) => long.url(`/drip/10/60000/${20 * KIB + n}/1`));
    const found = await check([origin.url('/status/404'), ...urls]);
    expect(found).to.include({ checked: 51, failed: 1, lengths: 50 });
    expect(long.connections).to.be.at.least(50);
    await until('the connections to be closed', () => long.openConnections === 0);
  });

  it('holds the limits of downloads and of connections to an origin (C4)', async () => {
    const settings = { sourceRetryLimitMs: 0, sourcePerHostConnections: 3, sourceConcurrency: 64 };
    const found = await check([origin.url('/status/404'), ...many(300, (n) => `/gen/100/${n}`)], {
      settings,
    });
    expect(found.checked).to.equal(301);
    // The origin may not have seen yet that up to two cancelled downloads have closed their connections.
    expect(origin.peakRequests).to.be.at.most(5);
    expect(origin.peakConnections).to.be.at.most(5);
    const slow = await start({ latencyMs: 20 });
    const urls = Array.from({ length: 100 }, (_, n) => slow.url(`/gen/100/${n}`));
    await check([origin.url('/status/404'), ...urls], {
      settings: { sourceRetryLimitMs: 0, sourceConcurrency: 5 },
    });
    expect(slow.peakRequests).to.equal(5);
  });

  it('ends at its time limit if sources stall, and counts only those that had half of it (C4)', async () => {
    const settings = { sourceRetryLimitMs: 0, sourceCheckLimitMs: 600, sourceConcurrency: 8 };
    const started = performance.now();
    const lines: string[] = [];
    const found = await check([origin.url('/status/404'), ...many(100, (n) => `/silent?${n}`)], {
      settings,
      onLog: (line) => lines.push(line),
    });
    expect(performance.now() - started).to.be.within(599, 3000);
    expect(found.checked).to.equal(found.failed).and.to.be.within(9, 17);
    expect(Number(/"requested":(\d+)/.exec(lines.join(''))?.[1])).to.be.within(8, 24);
    expect(new Set(found.failures.slice(1).map(({ code }) => code))).to.deep.equal(
      new Set(['SourceStalled']),
    );
  });

  it('ends at once when the signal aborts', async () => {
    const ending = new AbortController();
    const checked = check([origin.url('/status/404'), ...many(10, (n) => `/silent?${n}`)], {}, ending.signal);
    await until('the check to wait', () => origin.requests.length > 10);
    ending.abort();
    expect(await checked).to.include({ checked: 1, failed: 1 });
  });

  it('lets an origin that does not respond delay no other (C4)', async () => {
    const stuck = await start();
    const urls = Array.from({ length: 64 }, (_, n) => stuck.url(`/silent?${n}`));
    const settings = { sourceRetryLimitMs: 0, sourceCheckLimitMs: 2000 };
    const found = await check([origin.url('/status/404'), ...urls, ...many(100, (n) => `/gen/100/${n}`)], {
      settings,
    });
    expect(found.lengths).to.equal(100);
  });

  it('does not count "too many requests" as a bad source', async () => {
    const busy: OriginRoute = (_request, response) => {
      response.writeHead(429).end('slow down');
    };
    const limited = await start({ routes: { '/busy': busy } });
    const found = await check([origin.url('/status/404'), limited.url('/busy')]);
    expect(found).to.include({ checked: 1, failed: 1 });
  });
});
