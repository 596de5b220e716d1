import { expect } from 'chai';
import {
  bucketObjectOf,
  bucketUrlProblem,
  isBucketUrl,
  sourceBucketsOf,
} from '#runtime/zip-request/bucket-url.ts';

const KEYS: readonly (readonly [what: string, key: string])[] = [
  ['folders', '2026/01/report.pdf'],
  ['a space and umlauts', 'Größe 1.txt'],
  ['what would be a query and a fragment of a URL', 'a?b=c#d'],
  ['a percent sign, which encodes nothing', '100%/%2e%2e/%41'],
  ['an empty folder at its start and in it', '/a//b'],
  ['a slash at its end', 'folder/'],
  ['a backslash, an at sign and a colon', 'a\\b@c:d'],
  ['dots that are no segment', '...a/..b/c..'],
  ['characters that no URL has', '"<>{}|^`'],
  ['the longest length', 'ü'.repeat(512)],
];

const REFUSED: readonly (readonly [what: string, url: string, problem: RegExp])[] = [
  ['without a key', 's3://bucket/', /^has no key: .* as in s3:\/\/BUCKET\/KEY$/],
  ['with a key of slashes', 's3://bucket///', /^has no key/],
  ['without a slash behind the bucket', 'r2://bucket', /^has no key/],
  ['without a bucket', 's3:///key', /^has an invalid bucket name/],
  [
    'with a user name',
    's3://user@bucket/key',
    /^has an invalid bucket name: .*without user name, port and query$/,
  ],
  ['with a port', 's3://bucket:443/key', /^has an invalid bucket name/],
  ['with a query behind the bucket', 's3://bucket?region=x/key', /^has an invalid bucket name/],
  ['with a bucket in upper case', 's3://Bucket/key', /^has an invalid bucket name/],
  ['with a bucket that is too short', 's3://ab/key', /^has an invalid bucket name/],
  ['with a bucket that is too long', `s3://${'b'.repeat(64)}/key`, /^has an invalid bucket name/],
  ['with a key that is too long', `s3://bucket/${'ü'.repeat(512)}a`, /longer than 1024 bytes of UTF-8/],
  ['with a ".." segment', 's3://bucket/a/../b', /"\." or "\.\." segment\. Copy the object to another key$/],
  ['with a "." segment at its end', 's3://bucket/a/.', /"\." or "\.\." segment/],
  ['with a line break', 's3://bucket/a\nb', /control characters/],
];

describe('URLs of objects in buckets', () => {
  for (const [what, key] of KEYS)
    it(`take the key as it is: ${what} (SB1)`, () => {
      for (const service of ['s3', 'r2'] as const)
        expect(bucketObjectOf(`${service}://my.bucket-1/${key}`)).to.deep.equal({
          service,
          bucketName: 'my.bucket-1',
          key,
        });
    });

  for (const [what, url, problem] of REFUSED)
    it(`are refused ${what}, without their text (SB1)`, () => {
      expect(bucketUrlProblem(url)).to.match(problem).and.not.contain(url);
      expect(bucketObjectOf(url)).to.equal(undefined);
      expect(isBucketUrl(url)).to.equal(true);
    });

  it('have no other scheme (SB1)', () => {
    for (const url of [
      'S3://bucket/key',
      's3:/bucket/key',
      'gs://bucket/key',
      'https://bucket/key',
      's3n://b/k',
      ' s3://bucket/key',
    ])
      expect(isBucketUrl(url), url).to.equal(false);
  });

  it('name the ZipBuckets of a list once each, sorted, with the first file of each (SB1)', () => {
    const urls = [
      'https://a/',
      's3://two/k',
      'r2://two/k',
      's3://one/k',
      's3://two/l',
      's3://no-key/',
      'data:,x',
    ];
    expect(sourceBucketsOf(urls.map((url) => ({ url })))).to.deep.equal([
      { zipBucket: 'r2-two', service: 'r2', bucketName: 'two', index: 2 },
      { zipBucket: 's3-one', service: 's3', bucketName: 'one', index: 3 },
      { zipBucket: 's3-two', service: 's3', bucketName: 'two', index: 1 },
    ]);
  });
});
