/** How a store other than S3 and R2 verifies parts, detected at the start of the upload. */
import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect } from 'chai';
import { createHttpAgents } from '#runtime/egress/http-agents.ts';
import { providerOf } from '#zipper-image/store/providers.ts';
import { createStore, type Store } from '#zipper-image/store/store.ts';

const ALGORITHM = 'x-amz-checksum-algorithm';
const TYPE = 'x-amz-checksum-type';
const STARTED = '<InitiateMultipartUploadResult><UploadId>up-1</UploadId></InitiateMultipartUploadResult>';
type Kind =
  | 'returns the algorithm'
  | 'returns the algorithm and the type'
  | 'returns only the type'
  | 'returns 400 for the type'
  | 'ignores the header'
  | 'returns 501 for the header'
  | 'returns 400 for the header';

function headersOf(kind: Kind): Record<string, string> {
  const isCombined = kind === 'returns the algorithm and the type';
  return {
    ...((isCombined || kind === 'returns the algorithm' || kind.endsWith('for the type')) && {
      [ALGORITHM]: 'CRC32',
    }),
    ...((isCombined || kind === 'returns only the type') && { [TYPE]: 'FULL_OBJECT' }),
  };
}

describe('part checksum of a custom store', () => {
  let server: Server;
  let store: Store;
  let kind: Kind;
  let seen: IncomingHttpHeaders[];

  beforeEach(async () => {
    seen = [];
    server = createServer((request, response) => {
      seen.push(request.headers);
      const refused = kind.endsWith('for the type') ? TYPE : ALGORITHM;
      const isAnnounced = request.headers[refused] !== undefined;
      const refusal = isAnnounced ? Number(/returns (\d+)/.exec(kind)?.[1] ?? 0) : 0;
      if (refusal !== 0) response.writeHead(refusal).end('<Error><Code>NotImplemented</Code></Error>');
      else response.writeHead(200, headersOf(kind)).end(STARTED);
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const bucket = { service: 's3', name: 'bucket', endpoint } as const;
    store = createStore({
      bucket,
      provider: providerOf(bucket, { allowedHosts: ['127.0.0.1'], allowHttp: true }),
      credentials: { accessKeyId: 'id', secretAccessKey: 'secret' },
      agents: createHttpAgents({ connections: 1 }),
      connectTimeoutMs: 10_000,
      idleTimeoutMs: 5_000,
    });
  });
  afterEach(async () => {
    store.close();
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });

  for (const [given, want, asked] of [
    ['returns the algorithm', 'crc32', ['CRC32 FULL_OBJECT']],
    ['returns the algorithm and the type', 'crc32 of the object', ['CRC32 FULL_OBJECT']],
    ['returns only the type', 'md5', ['CRC32 FULL_OBJECT']],
    ['returns 400 for the type', 'crc32', ['CRC32 FULL_OBJECT', 'CRC32']],
    ['ignores the header', 'md5', ['CRC32 FULL_OBJECT']],
    ['returns 501 for the header', 'md5', ['CRC32 FULL_OBJECT', 'CRC32', '']],
    ['returns 400 for the header', 'md5', ['CRC32 FULL_OBJECT', 'CRC32', '']],
  ] as const)
    it(`is ${want} if the store ${given} (U13, U14)`, async () => {
      kind = given;
      expect(await store.createUpload('a.zip', 'pod-1')).to.equal('up-1');
      expect(`${store.partChecksum}${store.verifiesObject ? ' of the object' : ''}`).to.equal(want);
      expect(
        seen.map((headers) => [headers[ALGORITHM], headers[TYPE]].filter(Boolean).join(' ')),
      ).to.deep.equal(asked);
    });
});
