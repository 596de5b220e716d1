/**
 * The origin of one case as a separate process: the case's files under /set/, with an index for clients that
 * list.
 */

import { createServer } from 'node:https';
import { generatedChunks } from '#test/support/builders/generated-bytes.ts';
import { startFileOrigin } from '#test/support/servers/file-origin.ts';
import type { OriginRoute } from '#test/support/servers/origin-request.ts';
import { PRIVATE_TLS } from '#test/support/servers/private-tls.ts';
import type { BenchFile } from './bench-case.ts';

export interface OriginOrder {
  readonly latencyMs: number;
  readonly files: readonly BenchFile[];
  readonly plain: boolean;
}

const CHUNK_BYTES = 256 * 1024;
const MODIFIED = new Date('2026-01-02T03:04:06Z').toUTCString();

function fileRoute(bytes: number, seed: number): OriginRoute {
  return async (_request, response, { method }) => {
    response.writeHead(200, {
      'content-length': bytes,
      'last-modified': MODIFIED,
      etag: `"${seed}-${bytes}"`,
    });
    if (method !== 'HEAD')
      for (const chunk of generatedChunks(bytes, seed, CHUNK_BYTES))
        if (!response.write(chunk)) await new Promise((resolve) => response.once('drain', resolve));
    response.end();
  };
}

async function serve({ latencyMs, files, plain }: OriginOrder): Promise<void> {
  const links = files.map(({ path }) => `<a href="${path}">${path}</a>`).join('\n');
  const index: OriginRoute = (_request, response) => {
    response.writeHead(200, { 'content-type': 'text/html' }).end(`<html><body>${links}</body></html>`);
  };
  const routes = Object.fromEntries(
    files.map(({ path, bytes }, seed) => [`/set/${path}`, fileRoute(bytes, seed % 4)]),
  );
  const origin = await startFileOrigin({
    latencyMs,
    routes: { ...routes, '/set/': index },
    ...(!plain && {
      makeServer: (listener) => createServer(PRIVATE_TLS, listener),
      scheme: 'https',
    }),
  });
  process.send?.(origin.origin);
}

process.once('message', (order) => void serve(order as OriginOrder));
process.once('disconnect', () => process.exit());
