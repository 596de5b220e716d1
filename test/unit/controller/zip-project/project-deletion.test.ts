import { expect } from 'chai';
import {
  type LeavingProject,
  type ProjectDeletion,
  projectDeletion,
} from '#controller/zip-project/project-deletion.ts';
import { FINALIZER } from '#crds/api-group.ts';
import { ago, aZipBucket, aZipJob, aZipProject, NOW } from '#test/support/builders/objects.ts';

function judge(change: Partial<LeavingProject> = {}, age = 60): ProjectDeletion {
  const project = aZipProject();
  const metadata = { ...project.metadata, finalizers: [FINALIZER], deletionTimestamp: ago(age) };
  return projectDeletion(
    {
      project: { ...project, metadata },
      unfinished: [],
      buckets: [],
      isNamespaceTerminating: false,
      ...change,
    },
    { now: NOW, projectDeletionSeconds: 300 },
  );
}

describe('projectDeletion', () => {
  const job = aZipJob({ metadata: { name: 'j' } });

  it('releases the project when neither jobs nor buckets remain', () => {
    expect(judge()).to.deep.equal({ kind: 'release' });
  });

  it('cancels the jobs that are not cancelled yet, and reports what it waits for and how long', () => {
    const reported = aZipJob({ metadata: { name: 'reported' }, spec: { cancel: true } });
    const gone = aZipJob({ metadata: { name: 'gone', deletionTimestamp: ago(1) } });
    const decision = judge({ unfinished: [job, reported, gone], buckets: [aZipBucket()] });
    expect(decision).to.deep.include({
      kind: 'wait',
      cancel: [job],
      until: new Date(Date.parse(ago(60)) + 300_000),
    });
    expect(decision).to.have.property('message').that.contains('jobs have ended: gone, j, reported');
    expect(decision).to.have.property('message').that.contains('ZipBuckets have been deleted: s3-archive');
  });

  it('waits for buckets even without jobs', () => {
    expect(judge({ buckets: [aZipBucket()] })).to.deep.include({ kind: 'wait', cancel: [] });
  });

  it('stops waiting at the time limit, and does not wait in a terminating namespace', () => {
    expect(judge({ unfinished: [job] }, 300)).to.deep.equal({ kind: 'release', forced: 'Overdue' });
    const terminating = { unfinished: [job], isNamespaceTerminating: true };
    expect(judge(terminating)).to.deep.equal({ kind: 'release', forced: 'NamespaceTerminating' });
  });
});
