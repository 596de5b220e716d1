import { expect } from 'chai';
import type { ZipJobStatus } from '#crds/zip-job.ts';
import { jobRow } from '#dashboard/jobs/job-row.ts';
import { toListedJob } from '#dashboard/live/listed-job.ts';
import { ago, aZipJob, NOW } from '#test/support/builders/objects.ts';

describe('duration of jobRow', () => {
  function durationOf(status: ZipJobStatus): string {
    return jobRow(toListedJob(aZipJob({ status })), NOW).duration;
  }

  it('is that of the run, until now while it runs', () => {
    expect(durationOf({ phase: 'Queued' })).to.equal('');
    expect(durationOf({ phase: 'Running', startedAt: ago(90) })).to.equal('1 min 30 s');
    expect(durationOf({ phase: 'Failed', startedAt: ago(90), finishedAt: ago(60) })).to.equal('30 s');
  });
});
