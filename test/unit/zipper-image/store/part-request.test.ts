import { once } from 'node:events';
import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect } from 'chai';
import { createHttpAgents } from '#runtime/egress/http-agents.ts';
import { isAbort } from '#runtime/errors.ts';
import { providerOf } from '#zipper-image/store/providers.ts';
import type { RenewableCredentials } from '#zipper-image/store/session.ts';
import { createStore, type Store } from '#zipper-image/store/store.ts';
import { failureOf } from './upload-harness.ts';

const UPLOAD = { key: 'a.zip', uploadId: 'up-1' };
/** More than the buffers of a connection have room for. */
const PART = {
  number: 1,
  bytes: 64 * 1024 ** 2,
  body: Array.from({ length: 64 }, () => Buffer.alloc(1024 ** 2)),
  digests: { kind: 'crc32', crc32: 0 },
} as const;

describe('the request of a part', () => {
  let server: Server;
  let store: Store;
  let credentials: RenewableCredentials;

  beforeEach(async () => {
    server = createServer();
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const bucket = { service: 's3', name: 'bucket', endpoint } as const;
    credentials = {
      current: () => Promise.resolve({ accessKeyId: 'id', secretAccessKey: 'secret' }),
      renew: () => Promise.resolve(),
      repeats: { attempts: 1, baseDelayMs: 0, maxDelayMs: 0 },
    };
    store = createStore({
      bucket,
      provider: providerOf(bucket, { allowedHosts: ['127.0.0.1'], allowHttp: true }),
      credentials,
      agents: createHttpAgents({ connections: 1 }),
      connectTimeoutMs: 10_000,
      idleTimeoutMs: 60_000,
    });
  });
  afterEach(async () => {
    store.close();
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });

  it('ends when it is cancelled while the store is sending an error', async () => {
    const cancelled = new AbortController();
    server.on('request', (_request, response: ServerResponse) => {
      response.writeHead(503);
      response.write('<Error><Code>SlowDown</Code>', () => cancelled.abort());
    });
    // Otherwise it would wait for the rest of the document.
    expect(await failureOf(store.uploadPart(UPLOAD, PART, cancelled.signal))).to.be.an('error');
  });

  it('is not sent when it is cancelled while its credentials are fetched', async () => {
    const cancelled = new AbortController();
    let requests = 0;
    server.on('request', () => (requests += 1));
    credentials.current = () => {
      cancelled.abort();
      return Promise.resolve({ accessKeyId: 'id', secretAccessKey: 'secret' });
    };
    const error = await failureOf(store.uploadPart(UPLOAD, PART, cancelled.signal));
    expect([isAbort(error), requests]).to.deep.equal([true, 0]);
  });
});
