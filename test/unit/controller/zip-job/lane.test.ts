import { expect } from 'chai';
import { zipJobSkeleton } from '#controller/cluster/skeletons.ts';
import { laneOfChange, laneWhenDue } from '#controller/zip-job/lane.ts';
import type { ZipJobStatus } from '#crds/zip-job.ts';
import { defined } from '#runtime/collections/optional.ts';
import { aZipJob } from '#test/support/builders/objects.ts';
import { aResult, finishedAs, running, starting } from '#test/support/builders/zip-job-statuses.ts';

const FAILURE = { code: 'SourceUnavailable', message: 'the server answered 503', retriable: true };

function lanesOf(status: ZipJobStatus) {
  return [laneOfChange(aZipJob({ status })), laneWhenDue(aZipJob({ status }))];
}

describe('the lane of a ZipJob', () => {
  it('is the first once the active zipper wrote its result or failure (G5)', () => {
    expect(lanesOf(running('a', { result: aResult() }))).to.deep.equal(['end', 'end']);
    expect(lanesOf(running('a', { failure: FAILURE }))).to.deep.equal(['end', 'end']);
  });

  it('is that of changes for jobs that run, start, or keep the failure of an earlier pod (G5)', () => {
    expect(lanesOf(running('a'))).to.deep.equal(['change', 'change']);
    expect(lanesOf(starting('a'))).to.deep.equal(['change', 'change']);
    const { progress } = running('a');
    const second = { ...starting('b'), ...defined({ progress }), failure: FAILURE };
    expect(lanesOf(second)).to.deep.equal(['change', 'change']);
  });

  it('is that of changes for a finished job that changed, and the last if only its deletion is due (G3)', () => {
    const finished = zipJobSkeleton(aZipJob({ status: finishedAs('Succeeded', { result: aResult() }) }));
    expect([laneOfChange(finished), laneWhenDue(finished)]).to.deep.equal(['change', 'resync']);
    expect([laneOfChange(undefined), laneWhenDue(undefined)]).to.deep.equal(['change', 'change']);
  });
});
