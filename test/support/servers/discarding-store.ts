import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { crc32 } from 'node:zlib';
import { ATTEMPT_METADATA_KEY } from '#crds/zipper-contract.ts';

export interface DiscardingStore extends AsyncDisposable {
  readonly endpoint: string;
  /** Bytes of all parts so far. */
  readonly bytes: number;
  /** CRC-32 of the bytes of each part by its number, if the store computes them. */
  readonly checksums: ReadonlyMap<number, number>;
  /** While it is set, no part is read or gets a response. */
  stalled: Promise<void> | undefined;
}

const ETAG = '"discarded"';
const ATTEMPT = `x-amz-meta-${ATTEMPT_METADATA_KEY}`;
const XML: Readonly<Record<string, string>> = {
  POST: `<CompleteMultipartUploadResult><ETag>${ETAG}</ETag></CompleteMultipartUploadResult>`,
  uploads: '<InitiateMultipartUploadResult><UploadId>up-1</UploadId></InitiateMultipartUploadResult>',
};

/** A store for archives of any size: it counts the bytes of parts and discards them. `digests`: it also computes their CRC-32. */
export async function startDiscardingStore({ digests = false } = {}): Promise<DiscardingStore> {
  let bytes = 0;
  const checksums = new Map<number, number>();
  let attempt = '';
  async function takePart(request: IncomingMessage, response: ServerResponse): Promise<void> {
    await store.stalled;
    let crc = 0;
    for await (const chunk of request as AsyncIterable<Buffer>) {
      bytes += chunk.length;
      if (digests) crc = crc32(chunk, crc);
    }
    const { searchParams } = new URL(request.url ?? '', 'http://store');
    if (digests) checksums.set(Number(searchParams.get('partNumber')), crc);
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
    checksums,
    stalled: undefined,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  return store;
}
