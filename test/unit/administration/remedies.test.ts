import { expect } from 'chai';
import { remedyFor } from '#administration/remedies.ts';
import { FAILURE_CODES } from '#crds/zipper-contract.ts';

describe('remedyFor', () => {
  it('has a remedy for each failure that a user can fix', () => {
    const without = Object.entries(FAILURE_CODES)
      .filter(
        ([, { exit }]) => exit === 'sourceFailed' || exit === 'bucketRefused' || exit === 'archiveLimit',
      )
      .map(([code]) => code)
      .filter((code) => remedyFor(code) === null);
    // Only the message says what is wrong with an invalid source.
    expect(without).to.deep.equal(['SourceInvalid']);
  });

  it('has none for failures that need no action or that no zipper reports', () => {
    for (const code of ['Terminated', 'Superseded', 'BucketTested', 'toString'])
      expect(remedyFor(code), code).to.equal(null);
  });
});
