import { expect } from 'chai';
import { jobDetails } from '#dashboard/jobs/job-details.ts';
import { aZipJob, NOW } from '#test/support/builders/objects.ts';
import { running } from '#test/support/builders/zip-job-statuses.ts';

const NOTHING = { samples: [], now: NOW, sources: new Map(), isArchived: false };

describe('the page of a job that reports progress less often', () => {
  it('says how often its figures are updated (G5)', () => {
    const status = running('p1', { progressIntervalSeconds: 64 });
    expect(jobDetails(aZipJob({ status }), NOTHING).progress?.text).to.match(/, updated every 1 min 4 s$/);
    expect(jobDetails(aZipJob({ status: running('p1') }), NOTHING).progress?.text).to.not.contain('updated');
  });
});
