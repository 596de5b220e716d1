import { expect } from 'chai';
import type { TaskBucket } from '#crds/zipper-contract.ts';
import { providerOf } from '#zipper-image/store/providers.ts';
import { CAPABILITIES } from '#zipper-image/store/store-capabilities.ts';

const rules = { allowedHosts: ['minio.example:9000', 'store.example'], allowHttp: false };
const account = '0123456789abcdef0123456789abcdef';
const s3 = (change: Partial<TaskBucket> = {}): TaskBucket => ({
  service: 's3',
  name: 'bucket',
  region: 'eu-central-1',
  ...change,
});
const r2 = (host: string): TaskBucket => ({ service: 'r2', name: 'bucket', host, accountId: account });

describe('providerOf', () => {
  it('leaves AWS to the SDK, with CRC-32 for parts (U14)', () => {
    expect(providerOf(s3(), rules)).to.deep.include({
      kind: 's3',
      endpoint: undefined,
      region: 'eu-central-1',
      capabilities: CAPABILITIES.s3,
      guarded: false,
      pathStyle: false,
    });
  });

  it('puts a bucket with dots into the path: its host name would not fit the certificate', () => {
    expect(providerOf(s3({ name: 'my.bucket' }), rules).pathStyle).to.equal(true);
  });

  for (const host of [`${account}.r2.cloudflarestorage.com`, `${account}.eu.r2.cloudflarestorage.com`])
    it(`takes ${host} for R2: region auto, MD5, no ACL, guarded (U15) (S9)`, () => {
      expect(providerOf(r2(host), rules)).to.deep.include({
        kind: 'r2',
        endpoint: `https://${host}/`,
        region: 'auto',
        capabilities: CAPABILITIES.r2,
        guarded: true,
      });
    });

  it('takes what the operator allows, by host or by host and port', () => {
    expect(providerOf(s3({ endpoint: 'https://minio.example:9000' }), rules).kind).to.equal('custom');
    expect(providerOf(s3({ endpoint: 'https://store.example:444' }), rules).kind).to.equal('custom');
    expect(providerOf(r2('store.example'), rules).endpoint).to.equal('https://store.example/');
  });

  for (const [why, bucket] of [
    ['a host of nobody', r2('evil.example')],
    ['a host that only ends like R2', r2(`${account}.r2.cloudflarestorage.com.evil.example`)],
    ['a host that hides another in front of an @', r2(`${account}.r2.cloudflarestorage.com@evil.example`)],
    ['a host with a path', r2(`${account}.r2.cloudflarestorage.com/x`)],
    ['an address of the cloud', r2('169.254.169.254')],
    ['an endpoint that is not allowed', s3({ endpoint: 'https://minio.example:9001' })],
    ['an endpoint without TLS', s3({ endpoint: 'http://store.example' })],
    ['an endpoint with credentials', s3({ endpoint: 'https://a:b@store.example' })],
    ['an endpoint of another scheme', s3({ endpoint: 'file:///etc/passwd' })],
    ['a region that is a host (S10)', s3({ region: 'x.evil.example/' })],
    ['a region with another host behind # (S10)', s3({ region: 'us-east-1#@evil.example' })],
    ['a custom region with a dot (S10)', s3({ endpoint: 'https://store.example', region: 'a.b' })],
    ["a bucket's name with a slash", s3({ name: 'a/../b' })],
  ] as const)
    it(`refuses ${why}`, () => {
      expect(() => providerOf(bucket, rules))
        .to.throw()
        .with.property('code', 'BucketMisconfigured');
    });
});
