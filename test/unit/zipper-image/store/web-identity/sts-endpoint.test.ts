import { expect } from 'chai';
import { stsEndpointOf, type WebIdentity } from '#zipper-image/store/web-identity/sts-endpoint.ts';

const identity: WebIdentity = {
  roleArn: 'arn:aws:iam::123456789012:role/zips',
  audience: 'sts.amazonaws.com',
  stsRegion: 'eu-central-1',
};
const rules = {
  storeTokenAudiences: ['sts.amazonaws.com'],
  storeStsHosts: [
    'sts.eu-central-1.amazonaws.com',
    'sts.cn-north-1.amazonaws.com.cn',
    'minio.example.com:9000',
    'sts.example.com:443',
  ],
  storeAllowHttp: false,
};

describe('the security token service of a bucket', () => {
  function urlOf(change: Partial<WebIdentity>, ofRules: Partial<typeof rules> = {}): string {
    return stsEndpointOf({ ...identity, ...change }, { ...rules, ...ofRules }).href;
  }

  for (const [change, url] of [
    [{}, 'https://sts.eu-central-1.amazonaws.com/'],
    [{ stsRegion: 'cn-north-1' }, 'https://sts.cn-north-1.amazonaws.com.cn/'],
    [{ stsEndpoint: 'https://minio.example.com:9000' }, 'https://minio.example.com:9000/'],
    [{ stsEndpoint: 'https://sts.example.com:443' }, 'https://sts.example.com/'],
  ] as const)
    it(`is at ${url} (X21)`, () => {
      expect(urlOf(change)).to.equal(url);
    });

  for (const [what, change, message] of [
    [
      'another audience',
      { audience: 'vault' },
      /audience "vault" is not allowed.*store\.webIdentity\.audiences/,
    ],
    ['another region', { stsRegion: 'us-east-1' }, /sts\.us-east-1\.amazonaws\.com is not allowed/],
    ['another host', { stsEndpoint: 'https://evil.example' }, /evil\.example is not allowed.*stsHosts/],
    ['another port', { stsEndpoint: 'https://minio.example.com' }, /minio\.example\.com is not allowed/],
    ['plain HTTP', { stsEndpoint: 'http://minio.example.com:9000' }, /requires https/],
    [
      'a user in the URL',
      { stsEndpoint: 'https://sts.eu-central-1.amazonaws.com@evil.example' },
      /plain http/,
    ],
    ['a region that is no name', { stsRegion: 'eu-central-1.evil.example/' }, /not a valid region/],
    ['no region', { stsRegion: '' }, /not a valid region/],
  ] as const)
    it(`is refused with ${what} (X21)`, () => {
      expect(() => urlOf(change))
        .to.throw(message)
        .with.property('code', 'BucketMisconfigured');
    });

  it('may use plain HTTP if the operator allows it (X21)', () => {
    const change = { stsEndpoint: 'http://minio.example.com:9000' };
    expect(urlOf(change, { storeAllowHttp: true })).to.equal('http://minio.example.com:9000/');
  });
});
