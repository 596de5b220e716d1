import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { ATTEMPT_METADATA_KEY } from '#crds/zipper-contract.ts';

export interface DiscardingStore extends AsyncDisposable {
  readonly endpoint: string;
  /** Bytes of all parts so far. */
  readonly bytes: number;
  /** While it is set, no part is read or gets a response. */
  stalled: Promise<void> | undefined;
}

const ETAG = '"discarded"';
const ATTEMPT = `x-amz-meta-${ATTEMPT_METADATA_KEY}`;
const XML: Readonly<Record<string, string>> = {
  POST: `<CompleteMultipartUploadResult><ETag>${ETAG}</ETag></CompleteMultipartUploadResult>`,
  uploads: '<InitiateMultipartUploadResult><UploadId>up-1</UploadId></InitiateMultipartUploadResult>',
};

/** A store for archives of any size: it counts the bytes of parts, discards them, and verifies no checksum. */
export async function startDiscardingStore(): Promise<DiscardingStore> {
  let bytes = 0;
  let attempt = '';
  async function takePart(request: IncomingMessage, response: ServerResponse): Promise<void> {
    await store.stalled;
    for await (const chunk of request) bytes += (chunk as Buffer).length;
    response.writeHead(200, {
      etag: ETAG,
      'x-amz-checksum-crc32': request.headers['x-amz-checksum-crc32'] ?? '',
    });
    response.end();
  }
  const server = createServer((request, response) => {
    const { method = '', url = '' } = request;
    if (method === 'PUT') {
      takePart(request, response).catch(() => response.destroy());
      return;
    }
    request.resume();
    const isStart = url.includes('uploads');
    if (isStart) attempt = String(request.headers[ATTEMPT]);
    if (method === 'HEAD')
      response.writeHead(200, { etag: ETAG, [ATTEMPT]: attempt, 'content-length': bytes });
    else response.writeHead(200, isStart ? { 'x-amz-checksum-algorithm': 'CRC32' } : {});
    response.end(XML[isStart ? 'uploads' : method]);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const store: DiscardingStore = {
    endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    get bytes() {
      return bytes;
    },
    stalled: undefined,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  return store;
}
