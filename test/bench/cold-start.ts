import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { ZIPPER_ENV } from '#crds/zipper-contract.ts';
import { startZipper, ZipperHost } from '#test/support/processes/zipper-process.ts';
import { PRIVATE_TLS } from '#test/support/servers/private-tls.ts';
import { median } from './bench-result.ts';

export interface ColdStart {
  readonly case: 'cold-start';
  readonly contender: 'zipjobs';
  readonly runs: number;
  /** Time from the start of the process until the store receives CreateMultipartUpload. */
  readonly median_ms: number;
  readonly fastest_ms: number;
  readonly slowest_ms: number;
}

const LIMIT_MS = 10_000;

/** Starts one zipper, waits for its first request to the store, and kills it. */
async function startOnce(host: ZipperHost, plain: boolean): Promise<number> {
  const seen = Promise.withResolvers<number>();
  const listener: RequestListener = (request) => {
    if (request.method === 'POST' && request.url?.includes('uploads') === true)
      seen.resolve(performance.now());
    else seen.reject(new Error(`the first request to the store was ${request.method} ${request.url}`));
  };
  const server = plain ? createServer(listener) : createTlsServer(PRIVATE_TLS, listener);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const program = await host.prepare({
    endpoint: `${plain ? 'http' : 'https'}://127.0.0.1:${port}`,
    bucket: 'bucket',
    key: 'a.zip',
    files: [{ url: 'http://127.0.0.1:1/a', filename: 'a' }],
    env: plain ? {} : { [ZIPPER_ENV.trustBundle]: PRIVATE_TLS.authority },
  });
  const startedAt = performance.now();
  const child = startZipper(program);
  const ended = once(child, 'close');
  const timer = setTimeout(() => seen.reject(new Error('no request reached the store')), LIMIT_MS);
  try {
    return (await seen.promise) - startedAt;
  } finally {
    clearTimeout(timer);
    child.kill('SIGKILL');
    await ended;
    server.closeAllConnections();
    server.close();
  }
}

/** The first run does not count: it reads the files into the page cache, like an image pull. */
export async function measureColdStart(
  host: ZipperHost,
  { runs, plain }: { readonly runs: number; readonly plain: boolean },
): Promise<ColdStart> {
  await startOnce(host, plain);
  const times: number[] = [];
  for (let run = 0; run < runs; run += 1) times.push(await startOnce(host, plain));
  return {
    case: 'cold-start',
    contender: 'zipjobs',
    runs,
    median_ms: Math.round(median(times)),
    fastest_ms: Math.round(Math.min(...times)),
    slowest_ms: Math.round(Math.max(...times)),
  };
}
