import { expect } from 'chai';
import { ownedStatus } from '#controller/zip-job/owned-status.ts';
import { SAMPLES } from '#test/unit/crds/schema-samples.ts';

describe('the controller', () => {
  it('writes no field of the zipper, except a result that it found in the store', () => {
    const { progress: _p, upload: _u, failure: _f, sourceCheck: _s, result, ...own } = SAMPLES.ZipJob.status;
    expect(ownedStatus({ ...SAMPLES.ZipJob.status, reason: 'Failed' })).to.deep.equal({
      ...own,
      reason: 'Failed',
    });
    const reason = 'VerifiedInStore';
    expect(ownedStatus({ ...SAMPLES.ZipJob.status, reason })).to.deep.equal({ ...own, reason, result });
  });
});
