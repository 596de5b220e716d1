import { expect } from 'chai';
import { heldBucketsOf } from '#controller/cluster/caches.ts';
import { aZipJob } from '#test/support/builders/objects.ts';

describe('heldBucketsOf', () => {
  const spec = { bucketRef: { name: 's3-target' }, sourceBuckets: ['s3-one', 's3-target', 's3-two'] };

  it('has every bucket of an unfinished job once (SB7)', () => {
    const job = aZipJob({ spec, status: { phase: 'Running' } });
    expect(heldBucketsOf(job)).to.deep.equal(['s3-target', 's3-one', 's3-two']);
  });

  it('has only the bucket with the archive of a finished job, which may wait for its webhook for days (SB7)', () => {
    const webhook = { state: 'Pending' } as const;
    const job = aZipJob({ spec, status: { phase: 'Succeeded', webhook } });
    expect(heldBucketsOf(job)).to.deep.equal(['s3-target']);
  });
});
