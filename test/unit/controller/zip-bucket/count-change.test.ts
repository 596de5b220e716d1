import { expect } from 'chai';
import { isCountOnly } from '#controller/zip-bucket/count-change.ts';
import type { ZipBucket } from '#crds/zip-bucket.ts';
import { ago, aZipBucket } from '#test/support/builders/objects.ts';

describe('isCountOnly', () => {
  const before: ZipBucket = { ...aZipBucket(), status: { activeJobs: 1 } };
  function isOnly(object: ZipBucket): boolean {
    return isCountOnly({ kind: 'set', key: 'a/b', object, before });
  }
  const metadata = { ...before.metadata, resourceVersion: '2' };

  it('is true if only the job count differs', () => {
    expect(isOnly({ ...before, metadata, status: { activeJobs: 2 } })).to.equal(true);
    expect(isOnly({ ...before, metadata, status: {} })).to.equal(true);
  });
  it('is false if the deletion, spec or conditions change too', () => {
    const status = { activeJobs: 2 };
    expect(isOnly({ ...before, metadata: { ...metadata, deletionTimestamp: ago(1) }, status })).to.equal(
      false,
    );
    expect(isOnly({ ...before, spec: { ...before.spec, bucketName: 'other' }, status })).to.equal(false);
    expect(isOnly({ ...before, status: { ...status, conditions: [] } })).to.equal(false);
  });
  it('is false for a created or deleted bucket', () => {
    expect(isCountOnly({ kind: 'set', key: 'a/b', object: before, before: undefined })).to.equal(false);
    expect(isCountOnly({ kind: 'deleted', key: 'a/b', before })).to.equal(false);
  });
});
