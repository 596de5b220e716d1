import { expect } from 'chai';
import { ANNOTATIONS } from '#crds/api-group.ts';
import type { Phase } from '#crds/zip-job.ts';
import { type ListedJob, toListedJob } from '#dashboard/live/listed-job.ts';
import { createProjectUsage, type ProjectUsage } from '#dashboard/live/project-usage.ts';
import { storedBytesOf } from '#runtime/project-limits/stored-bytes.ts';
import { aZipJob, NAMESPACE } from '#test/support/builders/objects.ts';

const LIST = { [ANNOTATIONS.fileListBytes]: '1000' };

function job(name: string, phase: Phase): ListedJob {
  return toListedJob(aZipJob({ metadata: { name, annotations: LIST }, status: { phase } }));
}

describe('createProjectUsage', () => {
  let usage: ProjectUsage;
  function set(object: ListedJob, before?: ListedJob): void {
    usage.note({ kind: 'set', key: `${NAMESPACE}/${object.metadata.name}`, object, before });
  }
  beforeEach(() => {
    usage = createProjectUsage();
  });

  it('counts the bytes of a job and its list as the API does (Q-U24)', () => {
    const zipJob = aZipJob({ metadata: { annotations: LIST } });
    set(toListedJob(zipJob));
    expect(usage.of(NAMESPACE).storedBytes).to.equal(storedBytesOf(zipJob)).and.above(1_000);
    expect(usage.of('other')).to.deep.equal({ activeJobs: 0, storedJobs: 0, storedBytes: 0 });
  });

  it('follows jobs from their start to their deletion (Q-U24)', () => {
    const [queued, running, done] = (['Queued', 'Running', 'Succeeded'] as const).map((phase) =>
      job('a', phase),
    );
    if (queued === undefined || running === undefined || done === undefined) throw new Error('no jobs');
    set(queued);
    set(job('b', 'Finalizing'));
    expect(usage.of(NAMESPACE)).to.deep.include({ activeJobs: 1, storedJobs: 2 });
    set(running, queued);
    expect(usage.of(NAMESPACE)).to.deep.include({ activeJobs: 2, storedJobs: 2 });
    set(done, running);
    expect(usage.of(NAMESPACE)).to.deep.include({ activeJobs: 1, storedJobs: 2 });
    usage.note({ kind: 'deleted', key: `${NAMESPACE}/a`, before: done });
    expect(usage.of(NAMESPACE)).to.deep.include({ activeJobs: 1, storedJobs: 1 });
  });
});
