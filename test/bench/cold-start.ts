import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { startZipper, ZipperHost } from '#test/support/processes/zipper-process.ts';
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
const startOnce = async (host: ZipperHost): Promise<number> => {
  const seen = Promise.withResolvers<number>();
  const server = createServer((request) => {
    if (request.method === 'POST' && request.url?.includes('uploads') === true)
      seen.resolve(performance.now());
    else seen.reject(new Error(`the first request to the store was ${request.method} ${request.url}`));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const program = await host.prepare({
    endpoint: `http://127.0.0.1:${port}`,
    bucket: 'bucket',
    key: 'a.zip',
    files: [{ url: 'http://127.0.0.1:1/a', filename: 'a' }],
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
};

/** The first run does not count: it reads the files into the page cache, like an image pull. */
export const measureColdStart = async (host: ZipperHost, runs: number): Promise<ColdStart> => {
  await startOnce(host);
  const times: number[] = [];
  for (let run = 0; run < runs; run += 1) times.push(await startOnce(host));
  return {
    case: 'cold-start',
    contender: 'zipjobs',
    runs,
    median_ms: Math.round(median(times)),
    fastest_ms: Math.round(Math.min(...times)),
    slowest_ms: Math.round(Math.max(...times)),
  };
};
