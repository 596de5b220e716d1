import { expect } from 'chai';
import { physicalBucketOf } from '#controller/queue/physical-bucket.ts';
import type { ZipBucket } from '#crds/zip-bucket.ts';

function s3(change: Partial<ZipBucket['spec']> = {}): ZipBucket['spec'] {
  return {
    service: 's3',
    bucketName: 'archive',
    region: 'eu-central-1',
    ...change,
  };
}

function r2(change: Partial<ZipBucket['spec']> = {}): ZipBucket['spec'] {
  return {
    service: 'r2',
    bucketName: 'archive',
    accountId: 'abc',
    ...change,
  };
}

const HOST = 'abc.r2.cloudflarestorage.com';

function isSame(one: ZipBucket['spec'], other: ZipBucket['spec']): boolean {
  return physicalBucketOf({ spec: one }) === physicalBucketOf({ spec: other });
}

describe('physicalBucketOf', () => {
  for (const [what, one, other] of [
    ['another region of AWS, where names are unique', s3(), s3({ region: 'us-east-1' })],
    ['an endpoint of AWS', s3(), s3({ endpoint: 'https://s3.eu-central-1.amazonaws.com/' })],
    [
      'another service at the same endpoint',
      s3({ endpoint: 'https://minio' }),
      r2({ endpoint: 'https://minio' }),
    ],
    ['the host of an account at R2', r2(), r2({ host: HOST.toUpperCase() })],
    ['the endpoint of an account at R2', r2({ host: HOST }), s3({ endpoint: `https://${HOST}` })],
    [
      'another spelling of the endpoint',
      s3({ endpoint: 'https://MinIO.:443/' }),
      s3({ endpoint: 'https://minio' }),
    ],
  ] as const)
    it(`is the same for ${what} (F43)`, () => {
      expect(isSame(one, other)).to.equal(true);
    });

  for (const [what, one, other] of [
    ['another name', s3(), s3({ bucketName: 'other' })],
    ['another service', s3(), r2()],
    ['another account', r2(), r2({ accountId: 'abd' })],
    ['another endpoint', s3({ endpoint: 'https://minio' }), s3({ endpoint: 'https://minio:9000' })],
    ['an endpoint that only ends like one of AWS', s3(), s3({ endpoint: 'https://evilamazonaws.com' })],
  ] as const)
    it(`differs for ${what} (F43)`, () => {
      expect(isSame(one, other)).to.equal(false);
    });
});
