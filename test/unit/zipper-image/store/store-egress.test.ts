import { expect } from 'chai';
import { faultOf } from '#crds/job-failures.ts';
import type { TaskBucket } from '#crds/zipper-task.ts';
import { createEgressPolicy } from '#runtime/egress/egress-policy.ts';
import { createGuardedHttpAgents, type HttpAgentsOptions } from '#runtime/egress/http-agents.ts';
import { startDeafServer } from '#test/support/servers/deaf-server.ts';
import { type HostileStore, startHostileStore } from '#test/support/servers/hostile-store.ts';
import { providerOf } from '#zipper-image/store/providers.ts';
import { createStore, type Store } from '#zipper-image/store/store.ts';
import { assertChosenOptions, assertPlan, CAPABILITIES } from '#zipper-image/store/store-capabilities.ts';
import { failureOf } from './upload-harness.ts';

const HTTP = { allowHttp: true };
const HOST = 'store.test.example';

describe("a store from a caller's bucket", () => {
  let hostile: HostileStore;
  let store: Store | undefined;

  beforeEach(async () => {
    hostile = await startHostileStore();
  });
  afterEach(async () => {
    store?.close();
    await hostile[Symbol.asyncDispose]();
  });

  function open(
    endpoint: string,
    allowCidrs: readonly string[],
    options: Partial<HttpAgentsOptions> = {},
  ): Store {
    const bucket: TaskBucket = { service: 's3', name: 'bucket', endpoint };
    const provider = providerOf(bucket, { ...HTTP, allowedHosts: [new URL(endpoint).host] });
    const policy = createEgressPolicy({ allowCidrs, denyCidrs: [] });
    store = createStore({
      bucket,
      provider,
      credentials: { accessKeyId: 'id', secretAccessKey: 'secret' },
      agents: createGuardedHttpAgents(policy, { connections: 1, ...options }),
      connectTimeoutMs: 10_000,
      idleTimeoutMs: 5_000,
    });
    return store;
  }

  for (const host of ['127.0.0.1', 'localhost'])
    it(`is not connected to at ${host}, and the job fails permanently (S9)`, async () => {
      const error = await failureOf(
        open(hostile.endpoint.replace('127.0.0.1', host), []).createUpload('a.zip', 'pod-1'),
      );
      expect(error).to.include({ code: 'BucketMisconfigured', retryable: false });
      expect(hostile.requests.length).to.equal(0);
    });

  it('is asked again later if it cannot be connected to, and the error says why each address failed (FD5)', async () => {
    const { port } = new URL(hostile.endpoint);
    await using _deaf = await startDeafServer(['127.0.0.2'], Number(port));
    function lookup() {
      return Promise.resolve(['127.0.0.9', '127.0.0.2'].map((address) => ({ address, family: 4 })));
    }
    const unreachable = open(`http://${HOST}:${port}`, ['127.0.0.0/8'], {
      lookup,
      connectTimeoutMs: 100,
      leastShareMs: 10,
    });
    const error = await failureOf(unreachable.createUpload('a.zip', 'pod-1'));
    expect(error).to.include({ code: 'StoreUnavailable', retryable: true, storeCode: 'ECONNREFUSED' });
    expect(error)
      .to.have.property('message')
      .that.includes(`Could not connect to ${HOST}:${port}: IPv4 ECONNREFUSED, IPv4 timeout`);
  });

  for (const status of [301, 302, 307, 308])
    it(`cannot redirect the zipper with ${status} (S9)`, async () => {
      const elsewhere = await startHostileStore();
      hostile.fault = () => ({
        kind: 'response',
        status,
        code: 'TemporaryRedirect',
        headers: { location: `${elsewhere.endpoint}/bucket/a.zip?uploads=`, 'x-amz-bucket-region': 'evil' },
      });
      const error = await failureOf(open(hostile.endpoint, ['127.0.0.0/8']).createUpload('a.zip', 'pod-1'));
      expect(error).to.include({ code: 'BucketMisconfigured', retryable: false });
      expect([hostile.requests.length, elsewhere.requests.length]).to.deep.equal([1, 0]);
      await elsewhere[Symbol.asyncDispose]();
    });
});

describe('capabilities of stores', () => {
  const aws: TaskBucket = { service: 's3', name: 'bucket', region: 'eu-central-1' };
  const id = '0123456789abcdef0123456789abcdef';
  const r2: TaskBucket = {
    service: 'r2',
    name: 'bucket',
    host: `${id}.r2.cloudflarestorage.com`,
    accountId: id,
  };
  function open(bucket: TaskBucket) {
    return providerOf(bucket, { allowHttp: false, allowedHosts: [] });
  }

  it('equal the limits of the providers (U1)', () => {
    for (const store of Object.values(CAPABILITIES))
      expect(store).to.include({ leastPartBytes: 5 * 1024 ** 2, mostKeyBytes: 1024 });
    expect(CAPABILITIES.s3.mostObjectBytes / 1024 ** 4).to.be.closeTo(48.8, 0.1);
    expect(CAPABILITIES.r2.mostObjectBytes / 1024 ** 4).to.be.closeTo(4.995, 0.001);
    expect(CAPABILITIES.r2.mostPartBytes).to.be.below(CAPABILITIES.s3.mostPartBytes);
  });

  it('include equal parts at every address of R2, and nowhere else (U2)', () => {
    const rules = { allowHttp: false, allowedHosts: [`${id}.r2.cloudflarestorage.com`, 'r2.example.com'] };
    const custom: TaskBucket = { service: 's3', name: 'bucket' };
    for (const [bucket, equalParts] of [
      [aws, false],
      [r2, true],
      [{ ...custom, endpoint: `https://${id}.r2.cloudflarestorage.com` }, true],
      [{ ...custom, endpoint: 'https://r2.example.com' }, false],
    ] as const)
      expect(providerOf(bucket, rules).capabilities, JSON.stringify(bucket)).to.include({ equalParts });
  });

  it('refuse a part that R2 would refuse, and a key of 1,025 bytes (U1)', () => {
    const plan = { key: 'k', attempt: 'p', partSizeBytes: 4.999 * 1024 ** 3, maxArchiveBytes: 1 };
    const upload = { ...plan, onConflict: 'replace' } as const;
    expect(() => assertPlan(upload, CAPABILITIES.s3)).not.to.throw();
    expect(() => assertPlan(upload, CAPABILITIES.r2))
      .to.throw()
      .with.property('code', 'InvalidTask');
    expect(() => assertPlan({ ...upload, key: 'k'.repeat(1025) }, CAPABILITIES.s3)).to.throw(/1025 bytes/);
  });

  for (const [what, bucket, message] of [
    ['an ACL at R2', { ...r2, acl: 'public-read' }, 'objectOptions.acl is not supported by R2'],
    ['SSE-KMS at R2', { ...r2, serverSideEncryption: 'aws:kms' }, 'is not supported by R2, which encrypts'],
    ['tags at R2', { ...r2, tags: { a: '1' } }, 'objectOptions.tags is not supported by R2'],
    [
      'an S3 storage class at R2',
      { ...r2, storageClass: 'GLACIER' },
      'objectOptions.storageClass is not supported by R2; use one of STANDARD, STANDARD_IA',
    ],
    ['an ACL that does not exist', { ...aws, acl: 'everybody' }, 'objectOptions.acl must be one of private'],
    [
      'a storage class that does not exist',
      { ...aws, storageClass: 'COLD' },
      'objectOptions.storageClass is not supported by S3',
    ],
    [
      'metadata that names an attempt',
      { ...aws, metadata: { 'zip-attempt': 'x' } },
      'objectOptions.metadata has a name that starts with "zip-"',
    ],
    [
      'a header with a line break',
      { ...aws, cacheControl: 'no-store\r\nx-amz-acl: public-read' },
      'objectOptions.cacheControl must be printable ASCII',
    ],
  ] as const)
    it(`refuse ${what} before a request is sent, and name the field (U15)`, () => {
      expect(() => open(bucket))
        .to.throw(message)
        .with.property('code', 'BucketMisconfigured');
    });

  for (const [what, options] of [
    ['metadata that names an attempt', { metadata: { 'zip-attempt': 'x' } }],
    ['metadata with a line break', { metadata: { a: 'x\ny' } }],
  ] as const)
    it(`refuse a job with ${what} (C1)`, () => {
      expect(() => assertChosenOptions(options, aws, 's3'))
        .to.throw('objectOptions.metadata of the job')
        .with.property('code', 'InvalidTask');
    });

  function ten(prefix: string) {
    return Object.fromEntries(Array.from({ length: 10 }, (_, n) => [`${prefix}${n}`, '1']));
  }
  for (const [what, bucket, options, message] of [
    ['tags at R2', r2, { tags: { a: '1' } }, 'objectOptions.tags of the job is not supported by R2'],
    ['an S3 storage class at R2', r2, { storageClass: 'GLACIER' }, 'use one of STANDARD, STANDARD_IA'],
    [
      'too many tags together with those of the bucket',
      { ...aws, tags: ten('a') },
      { tags: { b: '1' } },
      'objectOptions.tags of the bucket and the job together has more than 10 tags',
    ],
  ] as const)
    it(`refuse a job with ${what}, and its caller can correct it (C7)`, () => {
      const { kind } = open(bucket);
      expect(() => assertChosenOptions(options, bucket, kind))
        .to.throw(message)
        .with.property('code', 'BucketMisconfigured');
      expect(faultOf('BucketMisconfigured')).to.equal('caller');
      expect(() => assertChosenOptions({ tags: ten('a') }, { ...aws, tags: ten('a') }, 's3')).not.to.throw();
    });

  for (const region of ['auto', 'us-east-1', '', undefined])
    it(`use region auto for R2 if the bucket has region ${JSON.stringify(region)} (U15)`, () => {
      expect(open({ ...r2, ...(region !== undefined && { region }) }).region).to.equal('auto');
    });

  for (const region of [
    'eu-central-1.evil.example',
    'eu-central-1/',
    'eu-central-1\n',
    'EU-CENTRAL-1',
    '',
    '-',
    'x@y',
    'eu..1',
  ])
    it(`refuse the region ${JSON.stringify(region)} before it becomes part of a host name (S10)`, () => {
      expect(() => open({ ...aws, region }))
        .to.throw()
        .with.property('code', 'BucketMisconfigured');
    });
});
