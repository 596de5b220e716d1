import { expect } from 'chai';
import { failureReasonOf } from '#crds/job-failures.ts';

describe('failureReasonOf', () => {
  const failure = { code: 'Terminated' };

  it('is the verdict of the controller', () => {
    expect(failureReasonOf({ phase: 'Failed', reason: 'TooManyDisruptions', failure })).to.equal(
      'TooManyDisruptions',
    );
    expect(failureReasonOf({ phase: 'Cancelled', reason: 'Cancelled', failure: null })).to.equal('Cancelled');
  });

  it('is the failure of the zipper if the reason of the controller is unknown', () => {
    expect(failureReasonOf({ phase: 'Failed', reason: 'Unheard', failure })).to.equal('Terminated');
    expect(failureReasonOf({ phase: 'Failed', reason: 'Unheard', failure: null })).to.equal('Unheard');
  });

  it('is null for a job that did not fail', () => {
    for (const phase of ['Queued', 'Running', 'Succeeded'] as const)
      expect(failureReasonOf({ phase, reason: 'Uploaded', failure })).to.equal(null);
  });
});
