import { createHash } from 'node:crypto';
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { Agent as HttpAgent } from 'node:http';
import { Agent as HttpsAgent } from 'node:https';
import { crc32 } from 'node:zlib';
import { expect } from 'chai';
import nock from 'nock';
import type { ChosenObjectOptions } from '#crds/zip-job.ts';
import type { TaskBucket } from '#crds/zipper-task.ts';
import type { PartDigests } from '#zipper-image/store/part.ts';
import { providerOf } from '#zipper-image/store/providers.ts';
import { createStore, type Store } from '#zipper-image/store/store.ts';

// nock patches node:http on import; other tests need the original.
nock.restore();

export type Headers = Readonly<Record<string, string | string[]>>;

export const ACCOUNT = '0123456789abcdef0123456789abcdef';
export const AWS: TaskBucket = { service: 's3', name: 'archives', region: 'eu-central-1' };
export const R2: TaskBucket = {
  service: 'r2',
  name: 'archives',
  accountId: ACCOUNT,
  host: `${ACCOUNT}.r2.cloudflarestorage.com`,
};
export const AWS_ORIGIN = 'https://archives.s3.eu-central-1.amazonaws.com';
export const R2_ORIGIN = `https://${ACCOUNT}.r2.cloudflarestorage.com`;
export const KEY = 'dir/a b.zip';
export const PATH = '/dir/a%20b.zip';
export const UPLOAD = { key: KEY, uploadId: 'up-1' };
export const BODY = Buffer.from('the bytes of a part');
export const MD5 = createHash('md5').update(BODY).digest();
export const CRC = crc32(BODY);

export function errorBody(code: string, more = ''): string {
  return `<?xml version="1.0" encoding="UTF-8"?>\n<Error><Code>${code}</Code><Message>message of the store</Message>${more}<RequestId>R</RequestId></Error>`;
}

export const CREATED = `<InitiateMultipartUploadResult><UploadId>up-1</UploadId></InitiateMultipartUploadResult>`;

export function completedXml(more: string): string {
  return `<?xml version="1.0"?>\n   <CompleteMultipartUploadResult>${more}</CompleteMultipartUploadResult>`;
}

function open(bucket: TaskBucket, objectOptions: ChosenObjectOptions = {}): Store {
  return createStore({
    bucket,
    objectOptions,
    provider: providerOf(bucket, { allowedHosts: [], allowHttp: false }),
    credentials: { accessKeyId: 'AKIDEXAMPLE', secretAccessKey: 'secret' },
    // Mocked connections that are kept alive would stay open forever.
    agents: { httpAgent: new HttpAgent(), httpsAgent: new HttpsAgent(), destroy: () => undefined },
    connectTimeoutMs: 10_000,
    idleTimeoutMs: 5_000,
  });
}

/** Required and forbidden headers of every request. */
export function expectPlain(headers: Headers, region: string): void {
  expect(headers['authorization']).to.match(
    new RegExp(`^AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE/\\d{8}/${region}/s3/aws4_request, `),
  );
  const names = Object.keys(headers).join(' ');
  expect(names).not.to.match(
    /x-amz-acl|x-amz-grant|tagging|server-side-encryption|object-lock|expected-bucket/,
  );
  expect(names).not.to.match(/expect(?!ed)|x-amz-trailer|content-encoding|x-amz-security-token/);
}

function partOf(digests: PartDigests) {
  return { number: 1, bytes: BODY.length, body: [BODY], digests };
}

export const crcPart = partOf({ kind: 'crc32', crc32: CRC });
export const md5Part = partOf({ kind: 'md5', md5: MD5 });

interface Expected {
  readonly method: 'POST' | 'PUT' | 'DELETE' | 'HEAD' | 'GET';
  readonly path: string;
  readonly status?: number;
  readonly response?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

function fieldOf(holder: unknown, name: string): unknown {
  return typeof holder === 'object' && holder !== null ? Reflect.get(holder, name) : undefined;
}

/** Replaces the hosts of the providers: nothing leaves the process, and a request to an unexpected host fails. */
export class MockedHosts {
  /** Headers of the last request. */
  sent: Headers = {};

  readonly #handles: unknown[] = [];
  readonly #onSocket = (message: unknown): void => {
    const handle = fieldOf(fieldOf(message, 'socket'), '_handle');
    this.#handles.push(handle, fieldOf(handle, '_parent'));
  };

  start(): void {
    subscribe('net.client.socket', this.#onSocket);
    nock.activate();
    nock.disableNetConnect();
  }

  stop(): void {
    nock.enableNetConnect();
    nock.restore();
    unsubscribe('net.client.socket', this.#onSocket);
    // Mocked connections have native handles, which nothing else closes.
    for (const handle of this.#handles) {
      const close = fieldOf(handle, 'close');
      if (typeof close === 'function') Reflect.apply(close, handle, []);
    }
  }

  expect(origin: string, { method, path, status = 200, response, headers }: Expected): void {
    nock(origin)
      .intercept(path, method)
      .reply((request: Request) => {
        this.sent = Object.fromEntries(request.headers);
        return [status, response ?? '', { ...headers }];
      });
  }

  /** Every expected request was sent. */
  expectDone(): void {
    const pending = nock.pendingMocks();
    nock.cleanAll();
    expect(pending).to.deep.equal([]);
  }
}

/** Mocked hosts for a suite. Each test opens its store with `openFor` and must send all expected requests. */
export function useMockedHosts(): {
  readonly hosts: MockedHosts;
  readonly openFor: (bucket: TaskBucket, objectOptions?: ChosenObjectOptions) => Store;
} {
  const hosts = new MockedHosts();
  let store: Store | undefined;
  before(() => hosts.start());
  after(() => hosts.stop());
  afterEach(() => {
    store?.close();
    hosts.expectDone();
  });
  return {
    hosts,
    openFor: (bucket, objectOptions) => {
      store = open(bucket, objectOptions);
      return store;
    },
  };
}
