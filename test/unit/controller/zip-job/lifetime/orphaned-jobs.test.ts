import { expect } from 'chai';
import { pino } from 'pino';
import { createOrphanedJobs } from '#controller/zip-job/lifetime/orphaned-jobs.ts';
import { recoveryJobName } from '#controller/zip-job/manifest/job-manifest.ts';
import type { ZipJob } from '#crds/zip-job.ts';
import type { Job } from '#runtime/kube/resources.ts';
import { objectKey } from '#runtime/kube/types.ts';
import { judge, kinds, withStatus } from '#test/support/builders/judge.ts';
import { createManualClock } from '#test/support/builders/manual-clock.ts';
import { ago, aJob, aPod, NAME } from '#test/support/builders/objects.ts';
import { running } from '#test/support/builders/zip-job-statuses.ts';

function withMetadata(job: Job, more: Partial<Job['metadata']>): Job {
  const { ownerReferences: _owner, ...metadata } = job.metadata;
  return { ...job, metadata: { ...metadata, ...more } };
}

const recovery = withMetadata(aJob(), { name: recoveryJobName(NAME, 1), uid: 'uid-recovery' });
const archive = withMetadata(aJob(), {});
const live = withStatus(running('p1'));

async function deletedOf(job: Job, zipJob?: ZipJob): Promise<readonly string[]> {
  const clock = createManualClock();
  const deleted: string[] = [];
  const orphanedJobs = createOrphanedJobs({
    clock,
    signal: new AbortController().signal,
    leads: () => true,
    log: pino({ level: 'silent' }),
    findZipJob: () => zipJob,
    jobs: {
      delete: (_namespace, name, options) => {
        deleted.push(`${name} ${options?.uid}`);
        return Promise.resolve(true);
      },
    },
  });
  orphanedJobs.see({ kind: 'set', key: objectKey(job), object: job, before: undefined });
  await clock.advance(15_000);
  return deleted;
}

describe('createOrphanedJobs', () => {
  it('deletes the Jobs that a ZipJob deleted with --cascade=orphan left (X50)', async () => {
    expect(await deletedOf(recovery)).to.deep.equal([`${recovery.metadata.name} uid-recovery`]);
    expect(await deletedOf(archive)).to.deep.equal([`${NAME} uid-job`]);
    const leaving = { ...live, metadata: { ...live.metadata, deletionTimestamp: ago(1) } };
    expect(await deletedOf(recovery, leaving)).to.have.length(1);
  });

  it('keeps Jobs with an owner, those that a ZipJob names in its status, and those of others (X50)', async () => {
    expect(await deletedOf(aJob())).to.deep.equal([]);
    expect(await deletedOf(archive, live)).to.deep.equal([]);
    expect(await deletedOf({ ...archive, spec: { template: { spec: { containers: [] } } } })).to.deep.equal(
      [],
    );
    expect(await deletedOf(withMetadata(archive, { deletionTimestamp: ago(1) }))).to.deep.equal([]);
  });
});

describe('decide for a ZipJob whose Job lost its owner', () => {
  it('follows the Job by its uid, and deletes it when the ZipJob is deleted (X50)', () => {
    const seen = { zipJob: live, job: archive, pods: [aPod('p1')] };
    expect(judge(seen)).to.not.have.property('status');
    const metadata = { ...live.metadata, deletionTimestamp: ago(1) };
    const decision = judge({ ...seen, zipJob: { ...live, metadata } });
    expect(decision.status).to.include({ reason: 'Deleted' });
    expect(kinds(decision)).to.include('deleteJob');
  });

  it('does not follow another Job without an owner (X50)', () => {
    const other = withMetadata(archive, { uid: 'uid-other' });
    expect(judge({ zipJob: live, job: other, pods: [aPod('p1')] }).status).to.include({
      reason: 'JobDeleted',
    });
  });
});
