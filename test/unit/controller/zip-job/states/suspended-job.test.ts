import { expect } from 'chai';
import { jobSkeleton } from '#controller/cluster/skeletons.ts';
import type { Decision } from '#controller/zip-job/observation.ts';
import { LABELS } from '#crds/api-group.ts';
import { findCondition } from '#crds/conditions.ts';
import type { Attempt, ZipJobSpec } from '#crds/zip-job.ts';
import type { Job } from '#runtime/kube/resources.ts';
import { judge, kinds, withStatus } from '#test/support/builders/judge.ts';
import { ago, aJob, aPod, aZipProject, NAME } from '#test/support/builders/objects.ts';
import { ended, failureMessage } from '#test/support/builders/pod-statuses.ts';
import { anUpload, recoveringStatus, running, starting } from '#test/support/builders/zip-job-statuses.ts';

const DAY = 86_400;
const QUEUE = { [LABELS.queueName]: 'night' };

/** As Kueue with manageJobsWithoutQueueName leaves it. */
function suspended(age: number, { metadata, status }: Partial<Pick<Job, 'metadata' | 'status'>> = {}): Job {
  const job = aJob({ metadata: { creationTimestamp: ago(age), ...metadata }, ...(status && { status }) });
  const { template = { spec: { containers: [] } } } = job.spec ?? {};
  return { ...job, spec: { ...job.spec, template, suspend: true } };
}

describe('decide while another controller suspends the Job', () => {
  it('says that the Job is suspended, without a queue name in the ZipJob (X48)', () => {
    const { status } = judge({ zipJob: withStatus(starting()), job: suspended(10), pods: [] });
    expect(status).to.include({ phase: 'Starting', reason: 'AwaitingQueue' });
    expect(status?.message).to.contain('is suspended, for example by Kueue');
  });

  it('names the queue that Kueue gave the Job (X48)', () => {
    const job = suspended(10, { metadata: { ...aJob().metadata, labels: QUEUE } });
    const { status } = judge({ zipJob: withStatus(starting()), job, pods: [] });
    expect(status?.message).to.equal(`Job ${NAME} is suspended until queue night admits it`);
  });

  it('names it in the outcome at the start deadline (X48)', () => {
    const { status } = judge(
      { zipJob: withStatus(starting()), job: suspended(90_000), pods: [] },
      { activeDeadlineSeconds: 200_000 },
    );
    expect(status?.reason).to.equal('StartDeadlineExceeded');
    expect(status?.message).to.contain('AwaitingQueue: Job').and.to.contain('is suspended');
  });

  it('keeps the suspension and the queue of a Job in the cache (X48)', () => {
    const queued = suspended(1, { metadata: { ...aJob().metadata, labels: QUEUE } });
    const kept = jobSkeleton(queued);
    expect([kept?.spec?.suspend, kept?.metadata.labels]).to.deep.equal([true, QUEUE]);
    expect(jobSkeleton(aJob())?.spec).to.not.have.property('suspend');
    expect(jobSkeleton(aJob())?.metadata.labels).to.not.have.property(LABELS.queueName);
  });

  it('does not count the attempt of a pod that the queue stopped, and waits for the queue again (X34)', () => {
    const zipJob = withStatus(running('p1'), { queueName: 'night', maxAttempts: 1 });
    const job = suspended(1000);
    const message = failureMessage('Terminated', { retriable: true });
    const pods = [aPod('p1', { status: ended({ exitCode: 35, message }) })];
    const stopped = judge({ zipJob, job, pods });
    expect(stopped.status?.attempts).to.have.lengthOf(1);
    expect(stopped.status?.attempts?.[0]).to.include({ class: 'disruption', reason: 'Terminated' });
    const { progress: _progress, ...before } = zipJob.status ?? {};
    const recovered = judge({ zipJob: { ...zipJob, status: { ...before, ...stopped.status } }, job, pods });
    const waiting = judge({ zipJob: { ...zipJob, status: { ...before, ...recovered.status } }, job, pods });
    expect(waiting.status).to.include({ phase: 'Running', reason: 'AwaitingQueue' });
  });
});

describe('decide while the recovery Job is suspended', () => {
  const name = `${NAME}-recover-1`;
  interface Seen {
    readonly lost: number;
    readonly attempt?: Partial<Attempt>;
    readonly state?: 'open' | 'committing';
    readonly spec?: Partial<ZipJobSpec>;
  }
  function lostJob({ lost, attempt, state = 'committing', spec = {} }: Seen) {
    const record = { n: 1, podUid: 'uid-p1', finishedAt: ago(lost), class: 'transient', ...attempt } as const;
    return withStatus(recoveringStatus(anUpload(state), { attempts: [record] }), spec);
  }
  function recoveryOf(age: number, labels: Readonly<Record<string, string>> = {}): Job {
    return suspended(age, {
      metadata: { ...aJob().metadata, name, uid: 'uid-recover', creationTimestamp: ago(age), labels },
    });
  }
  /** Its queue admitted it so many seconds ago. */
  function admitted(age: number, since: number, status: Job['status'] = {}): Job {
    const metadata = { name, uid: 'uid-recover', creationTimestamp: ago(age), labels: QUEUE };
    return aJob({ metadata, status: { startTime: ago(since), ...status } });
  }
  function messageOf({ status }: Decision): string | undefined {
    return findCondition(status?.conditions, 'Recovered')?.message;
  }
  const job = aJob({ metadata: { creationTimestamp: ago(4 * DAY) } });

  for (const [what, spec, project] of [
    ['the job', { queueName: 'night' }, aZipProject()],
    ['the project', {}, { ...aZipProject(), spec: { jobDefaults: { queueName: 'night' } } }],
  ] as const)
    for (const state of ['open', 'committing'] as const)
      it(`replaces a Job in no queue by one in the queue of ${what}, for an upload that is ${state} (X48)`, () => {
        const recovery = { job: recoveryOf(2), pods: [] };
        const decision = judge({ zipJob: lostJob({ lost: 3, state, spec }), job, project, recovery });
        expect(kinds(decision)).to.deep.equal(['deleteJob', 'createJob']);
        const [, action] = decision.actions;
        if (action?.kind !== 'createJob') throw new Error('no Job is created');
        expect(action.job.metadata).to.include({ name });
        expect(action.job.metadata.labels).to.include(QUEUE);
        expect(action.job.spec).to.include({ suspend: true });
      });

  it('waits for its queue as long as that takes, and names the queue (X48)', () => {
    const recovery = { job: recoveryOf(3 * DAY, QUEUE), pods: [] };
    const decision = judge({ zipJob: lostJob({ lost: 3 * DAY + 60 }), job, recovery });
    expect(kinds(decision)).to.deep.equal([]);
    expect(decision.status).to.include({ phase: 'Running' });
    expect(messageOf(decision)).to.equal(
      `attempt 1 waits for recovery: AwaitingQueue: Job ${name} is suspended until queue night admits it`,
    );
    expect(decision).to.not.have.property('requeueAfterMs');
  });

  it('has its whole time once the queue has admitted it (X48)', () => {
    const seen = { zipJob: lostJob({ lost: 3 * DAY + 60 }), job };
    const early = judge({ ...seen, recovery: { job: admitted(3 * DAY, DAY - 61), pods: [] } });
    expect(early).to.not.have.property('status');
    const late = judge({ ...seen, recovery: { job: admitted(3 * DAY, DAY), pods: [] } });
    expect(late.status).to.include({ reason: 'OutcomeUnknown' });
  });

  it('keeps the time in the queue when its Job is replaced (X48)', () => {
    const failed = { conditions: [{ type: 'Failed', status: 'True', reason: 'BackoffLimitExceeded' }] };
    const recovery = { job: admitted(3 * DAY, 60, failed), pods: [] };
    const decision = judge({
      zipJob: lostJob({ lost: 3 * DAY + 60, attempt: { queuedSeconds: 5 } }),
      job,
      recovery,
    });
    expect(kinds(decision)).to.deep.equal(['deleteJob']);
    expect(decision.status?.attempts?.[0]).to.include({ queuedSeconds: 3 * DAY - 55 });
    const attempt = { queuedSeconds: 3 * DAY - 55 };
    const next = { job: aJob({ metadata: { name, creationTimestamp: ago(20) } }), pods: [] };
    const again = judge({ zipJob: lostJob({ lost: 3 * DAY + 60, attempt }), job, recovery: next });
    expect(again).to.not.have.property('status');
  });

  it('gives up when the user has cancelled the job, and names the queue (X48)', () => {
    const recovery = { job: recoveryOf(200, QUEUE), pods: [] };
    function cancelled(lost: number) {
      const { status, ...zipJob } = lostJob({ lost, spec: { cancel: true } });
      return { ...zipJob, status: { ...status, phase: 'Finalizing', reason: 'Cancelled' } } as const;
    }
    const waiting = judge({ zipJob: cancelled(279), job, recovery });
    expect(messageOf(waiting))
      .to.contain(', which gives up at ')
      .and.to.contain('until queue night admits it');
    const { status } = judge({ zipJob: cancelled(280), job, recovery });
    expect(status?.reason).to.equal('OutcomeUnknown');
    expect(status?.message).to.contain(`AwaitingQueue: Job ${name} is suspended until queue night admits it`);
  });

  it('replaces a Job that is in no queue, in case Kueue does not suspend the next one (X48)', () => {
    const zipJob = lostJob({ lost: 3 * DAY });
    const waiting = judge({ zipJob, job, recovery: { job: recoveryOf(299), pods: [] } });
    expect([kinds(waiting), waiting.requeueAfterMs]).to.deep.equal([[], 1000]);
    expect(messageOf(waiting)).to.contain('and is in no queue; set spec.jobDefaults.queueName');
    const due = judge({ zipJob, job, recovery: { job: recoveryOf(300), pods: [] } });
    expect(kinds(due)).to.deep.equal(['deleteJob']);
    expect(due.status?.attempts?.[0]).to.include({ queuedSeconds: 300 });
  });
});
