/** Files in buckets, against a store that plays one response after another. versitygw checks the signatures in integration tests. */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect } from 'chai';
import type { TaskSourceBucket } from '#crds/zipper-task.ts';
import { BUILT_IN_TRUST } from '#runtime/tls/trust.ts';
import { generatedBytes } from '#test/support/builders/generated-bytes.ts';
import { ZIPPER_DEFAULTS } from '#zipper-image/config.ts';
import { objectCrc32 } from '#zipper-image/sources/bucket-source.ts';
import type { RenewableCredentials, StoreIdentity } from '#zipper-image/store/session.ts';
import { createSourceStores, type SourceStores } from '#zipper-image/store/source-stores.ts';
import { failureOf, type HarnessOptions, readAll, withReader } from './source-harness.ts';

const KEYS: readonly StoreIdentity[] = [
  { accessKeyId: 'old', secretAccessKey: 's' },
  { accessKeyId: 'new', secretAccessKey: 's', sessionToken: 'session' },
];

/** Credentials of which the first are replaced when the store rejects them. */
function renewable(): RenewableCredentials {
  let current = 0;
  return {
    current: () => Promise.resolve(KEYS[current] ?? { accessKeyId: '', secretAccessKey: '' }),
    renew: () => {
      current = Math.min(current + 1, KEYS.length - 1);
      return Promise.resolve();
    },
    repeats: { attempts: 1, baseDelayMs: 0, maxDelayMs: 0 },
  };
}

type Respond = (request: IncomingMessage, response: ServerResponse) => void;

function errorXml(status: number, code: string, headers: Readonly<Record<string, string>> = {}): Respond {
  return (_request, response) => {
    response.writeHead(status, headers).end(`<?xml version="1.0"?><Error><Code>${code}</Code></Error>`);
  };
}

function sends(text: string): Respond {
  return (_request, response) => {
    response.end(text);
  };
}

describe('files in buckets', () => {
  let server: Server;
  let requests: IncomingMessage[];
  let script: Respond[];
  let stores: SourceStores;
  let endpoint: string;

  function storesOf(
    change: Partial<TaskSourceBucket> = {},
    storeAllowCidrs: readonly string[] = ['127.0.0.0/8'],
  ) {
    const bucket = { zipBucket: 's3-files', service: 's3', name: 'files', endpoint, ...change } as const;
    return createSourceStores({
      buckets: [bucket],
      rules: { allowedHosts: ['127.0.0.1'], allowHttp: true },
      settings: {
        ...ZIPPER_DEFAULTS,
        egressAllowCidrs: [],
        egressDenyCidrs: [],
        egressClusterCidrs: [],
        egressServiceCidrs: [],
        egressApiServerAddresses: [],
        egressNat64Prefix: '',
        apiServerHost: 'kubernetes.default.svc',
        apiServerPort: 443,
        storeAllowedHosts: ['127.0.0.1'],
        storeAllowCidrs,
      },
      trustOf: () => BUILT_IN_TRUST,
      proxyTrust: BUILT_IN_TRUST,
      proxy: undefined,
      openCredentials: () => Promise.resolve(renewable()),
    });
  }

  before(async () => {
    server = createServer((request, response) => {
      requests.push(request);
      const respond = script.length > 1 ? script.shift() : script[0];
      respond?.(request, response);
    });
    await new Promise<void>((resolve) => {
      server.listen(0, '127.0.0.1', resolve);
    });
    endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  });
  after(() => {
    server.closeAllConnections();
    server.close();
  });
  beforeEach(() => {
    requests = [];
    stores = storesOf();
  });
  afterEach(() => stores[Symbol.asyncDispose]());

  function read(key: string, responses: readonly Respond[], options: HarnessOptions = {}) {
    script = [...responses];
    const locate: SourceStores['locate'] = (files) => stores.locate(files);
    return withReader([`s3://files/${key}`], readAll, { locate, ...options });
  }
  function failure(responses: readonly Respond[], options: HarnessOptions = {}) {
    return failureOf(read('k', responses, { ...options, settings: { sourceRetryLimitMs: 0 } }));
  }

  it('are requested from their own store with a signature, and the key in the path (SB8)', async () => {
    const [entry] = await read("a b/ü?x=%41#'(*)!", [sends('content')]);
    expect(entry?.bytes.toString()).to.equal('content');
    expect(requests[0]?.url).to.equal('/files/a%20b/%C3%BC%3Fx%3D%2541%23%27%28%2A%29%21');
    const { authorization = '', ...headers } = requests[0]?.headers ?? {};
    expect(authorization).to.match(/^AWS4-HMAC-SHA256 Credential=old\/\d{8}\/us-east-1\/s3\/aws4_request, /);
    expect(authorization).to.contain(
      'SignedHeaders=host;x-amz-checksum-mode;x-amz-content-sha256;x-amz-date,',
    );
    expect(headers).to.include({
      'x-amz-checksum-mode': 'ENABLED',
      'x-amz-content-sha256': 'UNSIGNED-PAYLOAD',
    });
  });

  it('are requested again with the next credentials, when the store rejects the first (SB10)', async () => {
    await read('k', [errorXml(403, 'InvalidAccessKeyId'), sends('content')]);
    expect(requests.map(({ headers }) => headers.authorization?.includes('Credential=new/'))).to.deep.equal([
      false,
      true,
    ]);
    expect(requests[1]?.headers['x-amz-security-token']).to.equal('session');
  });

  it('continue a broken download by a range of the same version (SB8)', async () => {
    const body = generatedBytes(1_000, 1);
    const etag = '"v1"';
    const breaks: Respond = (_request, response) => {
      response.writeHead(200, { 'content-length': body.length, etag });
      response.write(body.subarray(0, 600), () => response.destroy());
    };
    const continues: Respond = ({ headers }, response) => {
      const from = Number(/^bytes=(\d+)-$/.exec(headers.range ?? '')?.[1]);
      response.writeHead(206, { etag, 'content-range': `bytes ${from}-999/1000` }).end(body.subarray(from));
    };
    const [entry] = await read('k', [breaks, continues]);
    expect(entry?.bytes.equals(body)).to.equal(true);
    expect(requests[1]?.headers).to.include({ 'if-match': etag }).and.to.not.have.property('if-range');
  });

  it('are signed again with the time of a store whose clock differs (SB10)', async () => {
    const date = new Date(Date.now() + 3_600_000).toUTCString();
    await read('k', [errorXml(403, 'RequestTimeTooSkewed', { date }), sends('content')]);
    const times = requests.map(({ headers }) => String(headers['x-amz-date']));
    const [first = '', second = ''] = times.map((time) => time.slice(0, 11));
    expect(second).to.not.equal(first);
  });

  const faults: readonly (readonly [string, Respond, object, RegExp])[] = [
    [
      'a missing object',
      errorXml(404, 'NoSuchKey'),
      { code: 'SourceNotFound', httpStatus: 404 },
      /404 \(NoSuchKey\)/,
    ],
    [
      'a missing bucket',
      errorXml(404, 'NoSuchBucket'),
      { code: 'SourceBucketNotFound' },
      /bucket s3-files responded with status 404/,
    ],
    [
      'no permission',
      errorXml(403, 'AccessDenied'),
      { code: 'SourceAccessDenied', httpStatus: 403 },
      /allow its credentials s3:GetObject/,
    ],
    [
      'a refusal without a document',
      (_q, r) => void r.writeHead(403).end(),
      { code: 'SourceAccessDenied' },
      /status 403;/,
    ],
    [
      'an unknown key',
      errorXml(403, 'InvalidAccessKeyId'),
      { code: 'SourceCredentialsInvalid' },
      /replace its credentials/,
    ],
    [
      'a wrong region',
      errorXml(400, 'AuthorizationHeaderMalformed', { 'x-amz-bucket-region': 'eu-west-1' }),
      { code: 'SourceBucketMisconfigured' },
      /correct its region, host or endpoint\. The bucket is in region eu-west-1$/,
    ],
    [
      'an object in an archive storage class',
      errorXml(403, 'InvalidObjectState'),
      { code: 'SourceInvalid', httpStatus: 403 },
      /403 \(InvalidObjectState\)/,
    ],
    [
      'an object with a key of its own',
      errorXml(400, 'InvalidRequest'),
      { code: 'SourceInvalid', httpStatus: 400 },
      /400 \(InvalidRequest\)/,
    ],
    [
      'a request that took too long',
      errorXml(400, 'RequestTimeout'),
      { code: 'SourceUnavailable', retryable: true },
      /400 \(RequestTimeout\)/,
    ],
    ['a busy store', errorXml(503, 'SlowDown'), { code: 'SourceUnavailable' }, /503 \(SlowDown\)/],
  ];
  for (const [what, respond, fault, text] of faults)
    it(`fail with a code of its own: ${what} (SB9)`, async () => {
      const error = await failure([respond]);
      expect(error).to.include(fault);
      expect(error.message).to.match(text);
    });

  it('follow no redirect (SB9)', async () => {
    const redirect: Respond = (_request, response) => {
      response.writeHead(307, { location: `${endpoint}/other`, 'x-amz-bucket-region': 'eu-west-1' }).end();
    };
    const error = await failure([redirect]);
    expect(error).to.include({ code: 'SourceBucketMisconfigured', httpStatus: 307 });
    expect(error.message).to.contain('The bucket is in region eu-west-1');
    expect(requests).to.have.length(1);
  });

  it('follow the rules for stores and not those for sources (S43, SB9)', async () => {
    await stores[Symbol.asyncDispose]();
    stores = storesOf({}, []);
    const error = await failure([sends('content')], { policy: { allowCidrs: ['127.0.0.0/8'] } });
    expect(error).to.include({ code: 'SourceBucketMisconfigured' });
    expect(error.message).to.contain('store.allowCidrs');
    expect(requests).to.have.length(0);
    await stores[Symbol.asyncDispose]();
    stores = storesOf();
    await read('k', [sends('content')], { policy: { allowCidrs: [] } });
  });

  it('are refused if the operator does not allow their store, or the ZipJob does not list their bucket (SB9)', async () => {
    await stores[Symbol.asyncDispose]();
    stores = storesOf({ endpoint: 'https://store.example.com' });
    const refused = await failure([sends('content')]);
    expect(refused.message).to.contain('ask your administrator to add it to store.allowedHosts');
    await stores[Symbol.asyncDispose]();
    stores = storesOf({ zipBucket: 's3-other' });
    const unlisted = await failure([sends('content')]);
    expect(unlisted.message).to.equal(
      'file 0: spec.sourceBuckets of the ZipJob does not contain bucket s3-files, and cannot be changed: create a new ZipJob that lists it',
    );
    for (const error of [refused, unlisted]) expect(error.code).to.equal('SourceBucketMisconfigured');
    const without = await failure([sends('content')], { locate: (files) => files });
    expect(without.code).to.equal('SourceBucketMisconfigured');
    expect(requests).to.have.length(0);
  });

  const places: readonly (readonly [string, Partial<TaskSourceBucket>, string])[] = [
    ['AWS', { endpoint: undefined, region: 'eu-west-1' }, 'https://files.s3.eu-west-1.amazonaws.com/a/b'],
    [
      'AWS in China',
      { endpoint: undefined, region: 'cn-north-1' },
      'https://files.s3.cn-north-1.amazonaws.com.cn/a/b',
    ],
    [
      'R2',
      { endpoint: undefined, service: 'r2', zipBucket: 'r2-files', accountId: '0'.repeat(32) },
      `https://${'0'.repeat(32)}.r2.cloudflarestorage.com/files/a/b`,
    ],
  ] as unknown as readonly (readonly [string, Partial<TaskSourceBucket>, string])[];
  for (const [what, change, url] of places)
    it(`are at the same endpoint as archives: ${what} (SB8)`, async () => {
      await using own = storesOf(change);
      const scheme = change.service ?? 's3';
      const [file] = own.locate([{ url: `${scheme}://files/a/b`, filename: 'a' }]);
      expect(file?.url).to.equal(url);
    });

  describe('of which the store has the CRC-32', () => {
    const CRC = { 'x-amz-checksum-crc32': 'jHNlIQ==', 'x-amz-checksum-type': 'FULL_OBJECT' };
    function sendsWithCrc(text: string): Respond {
      return (_request, response) => {
        response.writeHead(200, { ...CRC, 'content-length': text.length }).end(text);
      };
    }

    it('are compared with it, whatever their size (SB12)', async () => {
      expect(await failure([sendsWithCrc('other')])).to.have.property('code', 'SourceMismatch');
      const [large] = await read('k', [sendsWithCrc('x'.repeat(2 ** 20 + 1))]);
      expect(large?.stated).to.include({ crc32: '8c736521' });
    });
  });

  it('have the CRC-32 of their store only if it is of the whole object (SB12)', () => {
    const crc = { 'x-amz-checksum-crc32': 'jHNlIQ==', 'x-amz-checksum-type': 'FULL_OBJECT' };
    function crcOf(headers: Readonly<Record<string, string | string[] | undefined>>) {
      return objectCrc32({ status: 200, headers });
    }
    expect(crcOf(crc)).to.equal('8c736521');
    expect(crcOf({ ...crc, 'x-amz-checksum-type': 'COMPOSITE' })).to.equal(undefined);
    expect(crcOf({ ...crc, 'x-amz-checksum-type': undefined })).to.equal(undefined);
    expect(crcOf({ ...crc, 'x-amz-checksum-crc32': 'jHNlIQ==-2' })).to.equal(undefined);
    expect(crcOf({ ...crc, 'x-amz-checksum-crc32': ['a', 'b'] })).to.equal(undefined);
  });
});
