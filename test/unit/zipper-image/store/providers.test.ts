import { expect } from 'chai';
import type { TaskBucket } from '#crds/zipper-task.ts';
import { providerOf } from '#zipper-image/store/providers.ts';
import { CAPABILITIES } from '#zipper-image/store/store-capabilities.ts';

const rules = { allowedHosts: ['minio.example:9000', 'store.example'], allowHttp: false };
const account = '0123456789abcdef0123456789abcdef';

function s3(change: Partial<TaskBucket> = {}): TaskBucket {
  return {
    service: 's3',
    name: 'bucket',
    region: 'eu-central-1',
    ...change,
  };
}

function r2(host: string): TaskBucket {
  return { service: 'r2', name: 'bucket', host, accountId: account };
}

describe('providerOf', () => {
  it("uses the AWS SDK's endpoint for AWS, with CRC-32 for parts (U14)", () => {
    expect(providerOf(s3(), rules)).to.deep.include({
      kind: 's3',
      endpoint: undefined,
      region: 'eu-central-1',
      capabilities: CAPABILITIES.s3,
      guarded: false,
      pathStyle: false,
    });
  });

  it('uses path style for a bucket with dots, because its host name would not match the certificate', () => {
    expect(providerOf(s3({ name: 'my.bucket' }), rules).pathStyle).to.equal(true);
  });

  for (const host of [`${account}.r2.cloudflarestorage.com`, `${account}.eu.r2.cloudflarestorage.com`])
    it(`recognises ${host} as R2: region auto, MD5, no ACL, guarded (U15) (S9)`, () => {
      expect(providerOf(r2(host), rules)).to.deep.include({
        kind: 'r2',
        endpoint: `https://${host}/`,
        region: 'auto',
        capabilities: CAPABILITIES.r2,
        guarded: true,
      });
    });

  it('accepts hosts that the operator allows, with or without a port', () => {
    expect(providerOf(s3({ endpoint: 'https://minio.example:9000' }), rules).kind).to.equal('custom');
    expect(providerOf(s3({ endpoint: 'https://store.example:444' }), rules).kind).to.equal('custom');
    expect(providerOf(r2('store.example'), rules).endpoint).to.equal('https://store.example/');
  });

  it('accepts a host with the port of its scheme, which the URL does not contain (X56)', () => {
    const hosts = { allowedHosts: ['Minio.example:443', '10.0.0.5:80', '[fd00::1]:443'], allowHttp: true };
    for (const endpoint of ['https://minio.example', 'http://10.0.0.5', 'https://[fd00::1]:443'])
      expect(providerOf(s3({ endpoint }), hosts).kind, endpoint).to.equal('custom');
    for (const endpoint of ['http://minio.example', 'https://10.0.0.5', 'https://[fd00::1]:444'])
      expect(() => providerOf(s3({ endpoint }), hosts), endpoint).to.throw('is not allowed');
  });

  for (const [why, bucket] of [
    ['an unknown host', r2('evil.example')],
    ['a host that only contains the R2 domain', r2(`${account}.r2.cloudflarestorage.com.evil.example`)],
    ['a host with another host after an @', r2(`${account}.r2.cloudflarestorage.com@evil.example`)],
    ['a host with a path', r2(`${account}.r2.cloudflarestorage.com/x`)],
    ['the address of a cloud metadata service', r2('169.254.169.254')],
    ['an endpoint that is not allowed', s3({ endpoint: 'https://minio.example:9001' })],
    ['an endpoint without TLS', s3({ endpoint: 'http://store.example' })],
    ['an endpoint with credentials', s3({ endpoint: 'https://a:b@store.example' })],
    ['an endpoint of another scheme', s3({ endpoint: 'file:///etc/passwd' })],
    ['a region that is a host (S10)', s3({ region: 'x.evil.example/' })],
    ['a region with another host behind # (S10)', s3({ region: 'us-east-1#@evil.example' })],
    ['a custom region with a dot (S10)', s3({ endpoint: 'https://store.example', region: 'a.b' })],
    ['a custom region that ends with a hyphen', s3({ endpoint: 'https://store.example', region: 'eu-' })],
    ["a bucket's name with a slash", s3({ name: 'a/../b' })],
  ] as const)
    it(`refuses ${why}`, () => {
      expect(() => providerOf(bucket, rules))
        .to.throw()
        .with.property('code', 'BucketMisconfigured');
    });
});
