import { expect } from 'chai';
import { jobView } from '#dashboard/pages/jobs/job-view.ts';
import { aZipJob } from '#test/support/builders/objects.ts';
import { running } from '#test/support/builders/zip-job-statuses.ts';

describe('the page of a job that reports progress less often', () => {
  it('says how often its figures are updated (G5)', () => {
    const status = running('p1', { progressIntervalSeconds: 64 });
    expect(jobView(aZipJob({ status }), []).progressText).to.match(/, updated every 1 min 4 s$/);
    expect(jobView(aZipJob({ status: running('p1') }), []).progressText).to.not.contain('updated');
  });
});
