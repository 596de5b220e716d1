import { expect } from 'chai';
import { findCondition } from '#crds/conditions.ts';
import type { ZipJobSpec, ZipJobStatus } from '#crds/zip-job.ts';
import { judge, kinds, withStatus } from '#test/support/builders/judge.ts';
import { ago, aJob, aPod, NOW } from '#test/support/builders/objects.ts';
import { aCondition, INHERITED, running } from '#test/support/builders/zip-job-statuses.ts';

/** Between two pods: the upload of p1 waits for the next one. */
function between(more: ZipJobStatus = {}, spec: Partial<ZipJobSpec> = {}) {
  const {
    job: _job,
    upload: _upload,
    ...status
  } = running('p1', { checkpointed: true, inherits: INHERITED });
  return withStatus(
    {
      ...status,
      job: { name: aJob().metadata.name, uid: 'uid-job', podName: 'p1' },
      attemptsTotal: 1,
      attempts: [
        {
          n: 1,
          podUid: 'uid-p1',
          finishedAt: ago(190),
          class: 'disruption',
          upload: {
            uploadId: 'upload-1',
            owner: 'uid-p0',
            state: 'open',
            partSize: 8_388_608,
            checkpoint: 4,
          },
        },
      ],
      conditions: [aCondition('Recovered', ['True', 'Inherited'])],
      ...more,
    },
    spec,
  );
}

describe('decide when a job ends between two pods', () => {
  const late = { metadata: { creationTimestamp: ago(7216) } };
  const endings: readonly (readonly [string, string, Parameters<typeof judge>[0]])[] = [
    ['is cancelled', 'Cancelled', { zipJob: between({}, { cancel: true }), job: aJob() }],
    ['lost its Job', 'JobDeleted', { zipJob: between() }],
    [
      'lost its bucket',
      'BucketDeleted',
      {
        zipJob: between({ conditions: [aCondition('Accepted', ['True', 'Accepted'])] }),
        job: aJob(),
        bucket: undefined,
      },
    ],
    ['is out of time', 'DeadlineExceeded', { zipJob: between(), job: aJob(late) }],
  ];
  for (const [what, reason, seen] of endings)
    it(`recovers the inherited upload of a job that ${what} (H8)`, () => {
      const decision = judge(seen);
      expect(decision.status).to.include({ phase: 'Finalizing', reason });
      expect(decision.status?.inherits).to.deep.equal(INHERITED);
      expect(findCondition(decision.status?.conditions, 'Recovered')?.reason).to.equal('Recovering');
      expect(decision.before).to.equal(undefined);
    });

  function recovering(since: string, more: ZipJobStatus = {}) {
    const condition = aCondition('Recovered', ['False', 'Recovering'], { lastTransitionTime: since });
    return between(
      { phase: 'Finalizing', reason: 'Cancelled', conditions: [condition], ...more },
      { cancel: true },
    );
  }

  it('has its whole time for the recovery, however long it waited for the next pod', () => {
    const decision = judge({ zipJob: recovering(ago(5)) });
    expect(kinds(decision)).to.deep.equal(['createJob']);
    const [action] = decision.actions;
    const text = JSON.stringify(action);
    expect(text).to.contain('upload-1');
    expect(text, 'the pod that created the upload').to.contain('uid-p0');
  });

  it('gives that recovery as much time as any other', () => {
    const job = aJob({ metadata: { name: 'recovery', creationTimestamp: ago(20) } });
    const seen = { zipJob: recovering(ago(25)), recovery: { job, pods: [] } };
    expect(judge(seen)).to.not.have.property('status');
    expect(judge({ ...seen, zipJob: recovering(ago(181)) }).status).to.include({ phase: 'Cancelled' });
  });

  it('forgets the upload when its recovery gives up, and then ends', () => {
    const decision = judge({ zipJob: recovering(ago(181)), bucket: undefined });
    expect(decision.status).to.include({ phase: 'Cancelled' });
    expect(decision.status).to.not.have.any.keys('inherits', 'checkpointed');
    expect(decision.status?.attempts?.at(-1)).to.include({ abortFailures: 1 });
    expect(decision.before).to.deep.equal([{ kind: 'deleteCheckpoint' }]);
  });

  it('recovers the upload while RESUME is off, before the next pod becomes active', () => {
    const seen = { zipJob: between(), job: aJob(), pods: [aPod('p2')] };
    const decision = judge(seen, { resume: false });
    expect(findCondition(decision.status?.conditions, 'Recovered')?.reason).to.equal('Recovering');
    expect(decision.status?.job).to.not.have.property('podUid');
  });

  it('ends a copy from a backup without touching anything', () => {
    const zipJob = between();
    const metadata = {
      ...zipJob.metadata,
      annotations: { 'zipjobs.dev/accepted-uid': 'uid-of-the-original' },
    };
    const decision = judge({ zipJob: { ...zipJob, metadata } });
    expect(decision.status).to.include({ phase: 'Failed', reason: 'Restored' });
    expect([kinds(decision), decision.before]).to.deep.equal([[], undefined]);
    expect(decision.status).to.not.have.any.keys('inherits', 'checkpointed');
  });

  it('ends a job whose namespace is being deleted, with a history, without a recovery', () => {
    const metadata = { ...between().metadata, deletionTimestamp: NOW.toISOString() };
    const seen = { zipJob: { ...between(), metadata }, isNamespaceTerminating: true };
    const decision = judge(seen, { historyHost: 'db' });
    expect(decision.status).to.include({ phase: 'Cancelled', reason: 'Deleted' });
    expect(decision.status).to.not.have.property('inherits');
    expect(findCondition(decision.status?.conditions, 'Recovered')).to.include({ status: 'False' });
  });
});
