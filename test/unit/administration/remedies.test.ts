import { expect } from 'chai';
import { remedyFor } from '#administration/remedies.ts';
import { FAILURE_CODES } from '#crds/zipper-contract.ts';

describe('remedyFor', () => {
  it('has a remedy for whatever a person has to mend', () => {
    const without = Object.entries(FAILURE_CODES)
      .filter(
        ([, { exit }]) => exit === 'sourceFailed' || exit === 'bucketRefused' || exit === 'archiveLimit',
      )
      .map(([code]) => code)
      .filter((code) => remedyFor(code) === null);
    // What a source that answers with no file has done wrong, only its message tells.
    expect(without).to.deep.equal(['SourceInvalid']);
  });

  it('has none for what mends itself, and for what is no failure of a zipper', () => {
    for (const code of ['Terminated', 'Superseded', 'BucketTested', 'toString'])
      expect(remedyFor(code), code).to.equal(null);
  });
});
