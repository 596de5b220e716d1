import { setTimeout as delay } from 'node:timers/promises';
import { expect } from 'chai';
import { type FileOrigin, startFileOrigin } from '#test/support/servers/file-origin.ts';
import { startLimitedHost } from '#test/support/servers/limited-host.ts';
import type { OriginRoute } from '#test/support/servers/origin-request.ts';
import { failureAt, failureOf, readAll, withReader } from './source-harness.ts';

const NOW = Math.floor(Date.now() / 1000);
const QUICK = { sourceRetryBaseMs: 8, sourceRetryAfterMaxMs: 40, sourceRetryLimitMs: 1 };
const EXPIRED = 'X-Amz-Date=20200101T000000Z&X-Amz-Expires=60&X-Amz-Signature=s';

/** Responds this many times with the first response, and then with the file. */
function after(times: number, status: number, headers: Readonly<Record<string, string>>): OriginRoute {
  return ({ seen }, response) => {
    if (seen <= times) response.writeHead(status, headers).end('later');
    else response.writeHead(200, { 'content-length': 4 }).end('file');
  };
}

describe('a source whose host throttles', () => {
  const throttling: readonly (readonly [number, Readonly<Record<string, string>>])[] = [
    [429, {}],
    [429, { 'retry-after': '3600' }],
    [429, { 'ratelimit-reset': '3600' }],
    [429, { 'x-ratelimit-reset': String(NOW + 3600) }],
    [429, { ratelimit: '"default";r=0;t=3600' }],
    [503, {}],
    [509, {}],
    [529, {}],
    [403, { 'retry-after': '3600' }],
    [420, { 'retry-after': '3600' }],
    [403, { 'x-ratelimit-remaining': '0' }],
    [202, { 'retry-after': '3600' }],
  ];
  for (const [status, headers] of throttling)
    it(`is requested until it arrives, beyond the tries and the time of other errors: ${status} ${JSON.stringify(headers)} (FD2) (FD4)`, async () => {
      await using origin = await startFileOrigin({ routes: { '/a': after(7, status, headers) } });
      const [entry] = await withReader([origin.url('/a')], readAll, { settings: QUICK });
      expect(entry?.bytes.toString()).to.equal('file');
      expect(origin.requests).to.have.length(8);
    });

  it('is requested only once if each source is requested once (FD2)', async () => {
    await using origin = await startFileOrigin({ routes: { '/a': after(1, 202, { 'retry-after': '1' }) } });
    const error = await failureAt(origin.url('/a'), { settings: { sourceRetryLimitMs: 0 } });
    expect(error).to.include({ code: 'SourceUnavailable', httpStatus: 202, retryable: true });
    expect(origin.requests).to.have.length(1);
  });

  it('is not requested again if its signed URL has expired (FD4)', async () => {
    await using origin = await startFileOrigin({ routes: { '/a': after(1, 403, { 'retry-after': '1' }) } });
    const error = await failureAt(origin.url(`/a?${EXPIRED}`), { settings: QUICK });
    expect(error).to.include({ code: 'SourceExpired', httpStatus: 403 });
    expect(origin.requests).to.have.length(1);
  });

  it('does not use up the time for other errors (FD2)', async () => {
    const route: OriginRoute = async ({ seen }, response) => {
      if (seen === 1) await delay(600);
      const status = seen === 1 ? 429 : 500;
      response.writeHead(seen < 7 ? status : 200, { 'content-length': 4 }).end('file');
    };
    await using origin = await startFileOrigin({ routes: { '/a': route } });
    const settings = { ...QUICK, sourceRetryLimitMs: 500 };
    const [entry] = await withReader([origin.url('/a')], readAll, { settings });
    expect(entry?.bytes.toString()).to.equal('file');
  });

  it('logs once that it waits, without the name of the host (FD2)', async () => {
    await using origin = await startFileOrigin({ routes: { '/a': after(3, 429, {}) } });
    const lines: string[] = [];
    await withReader([origin.url('/a')], readAll, { settings: QUICK, onLog: (line) => lines.push(line) });
    expect(lines.filter((line) => line.includes('throttles')))
      .to.have.length(1)
      .and.satisfy(
        ([line = '']: string[]) => !line.includes('127.0.0.1') && line.includes('"httpStatus":429'),
      );
  });
});

describe('one file of a host that always resets the connection', () => {
  const settings = { ...QUICK, sourceConcurrency: 8, sourcePerHostConnections: 8 };
  function other(path: string): number | undefined {
    return path === '/3' ? 0 : undefined;
  }

  it('fails, and the others arrive (FD3)', async () => {
    await using host = await startLimitedHost({ other });
    const entries = await withReader(host.urls(100), readAll, { settings, reportFailures: true });
    const failed = entries.filter(({ failure }) => failure !== undefined);
    expect(failed.map(({ index, failure }) => [index, failure?.code])).to.deep.equal([
      [3, 'SourceUnreachable'],
    ]);
    expect(host.served).to.equal(99);
  });

  it('ends the attempt after a limited number of requests (FD3)', async () => {
    await using host = await startLimitedHost({ other });
    const error = await failureOf(withReader(host.urls(100), readAll, { settings }));
    expect(error).to.include({ code: 'SourceUnreachable', fileIndex: 3 });
    expect(host.bad).to.be.at.most(12);
  });
});

describe('createSourceReader: a busy host', () => {
  it('gets half as many concurrent requests, and none before Retry-After (D18) (D12)', async () => {
    const times: number[] = [];
    let open = 0;
    let peakAfter = 0;
    let refusals = 8;
    const busy: OriginRoute = async (_request, response) => {
      if (refusals > 0) {
        refusals -= 1;
        response.writeHead(503, { 'retry-after': '1' }).end();
        return;
      }
      times.push(performance.now());
      open += 1;
      peakAfter = Math.max(peakAfter, open);
      await new Promise((resolve) => setTimeout(resolve, 5));
      open -= 1;
      response.writeHead(200, { 'content-length': 2 }).end('ok');
    };
    const paths = Array.from({ length: 24 }, (_, index) => `/busy-${index}`);
    const origin: FileOrigin = await startFileOrigin({
      routes: Object.fromEntries(paths.map((path) => [path, busy])),
    });
    const startedAt = performance.now();
    const settings = { sourceConcurrency: 8, sourcePerHostConnections: 8 };
    const entries = await withReader(
      paths.map((path) => origin.url(path)),
      readAll,
      { settings },
    );
    await origin[Symbol.asyncDispose]();
    expect(entries.map(({ bytes }) => bytes.toString())).to.deep.equal(paths.map(() => 'ok'));
    expect((times[0] ?? 0) - startedAt).to.be.at.least(980);
    expect(peakAfter).to.be.at.most(7);
  });
});
