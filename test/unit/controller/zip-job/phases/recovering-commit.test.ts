/** After CompleteMultipartUpload may have been sent, only the store knows the outcome. */
import { expect } from 'chai';
import { findCondition } from '#crds/conditions.ts';
import type { ZipJobStatus } from '#crds/zip-job.ts';
import type { Job, Pod } from '#runtime/kube/resources.ts';
import { judge, kinds, withStatus } from '#test/support/builders/judge.ts';
import { ago, aJob, aPod, NAME } from '#test/support/builders/objects.ts';
import { ended } from '#test/support/builders/pod-statuses.ts';
import { anUpload, recoveringStatus } from '#test/support/builders/zip-job-statuses.ts';

describe('decide while an attempt that committed is being recovered', () => {
  const zipJob = withStatus(recoveringStatus(anUpload('committing')));
  const scheduled = (seconds: number) => ({
    phase: 'Pending',
    conditions: [{ type: 'PodScheduled', status: 'True', lastTransitionTime: ago(seconds) }],
  });
  const recoveryPod = (status: object) =>
    aPod('s1', {
      metadata: {
        ownerReferences: [{ apiVersion: 'batch/v1', kind: 'Job', name: 'r', uid: 'uid-recover' }],
      },
      status,
    });
  const created = (seconds: number, pods: readonly Pod[] = [], status?: Job['status'] & object) => ({
    job: aJob({
      metadata: { name: `${NAME}-recover-1`, uid: 'uid-recover', creationTimestamp: ago(seconds) },
      ...(status && { status }),
    }),
    pods,
  });
  const failed = { conditions: [{ type: 'Failed', status: 'True', reason: 'BackoffLimitExceeded' }] };
  const at = (seconds: number) => recoveringStatus(anUpload('committing'), attemptEnded(seconds));
  const attemptEnded = (seconds: number): ZipJobStatus => ({
    attempts: [{ n: 1, podUid: 'uid-p1', finishedAt: ago(seconds), class: 'transient' }],
  });

  it('waits for a pod without a node until a day has passed (F25)', () => {
    const job = aJob({ metadata: { creationTimestamp: ago(86_450) } });
    const seen = { zipJob: withStatus(at(86_399)), job, recovery: created(86_000) };
    expect(judge(seen)).to.deep.equal({ actions: [], events: [], requeueAfterMs: 1000 });
    const late = judge({ ...seen, zipJob: withStatus(at(86_400)) });
    expect(late.status).to.include({ phase: 'Finalizing', reason: 'OutcomeUnknown' });
    const podRefusal = { reason: 'QuotaExceeded', message: 'exceeded quota: small' } as const;
    const refused = judge({ ...seen, zipJob: withStatus(at(86_400)), podRefusal });
    expect(refused.status?.message).to.contain('recovery gave up: QuotaExceeded: exceeded quota: small');
    expect(late.actions).to.deep.include({
      kind: 'deleteJob',
      name: `${NAME}-recover-1`,
      uid: 'uid-recover',
    });
  });

  it('gives a pod its time from its scheduling, and then replaces the Job (F25)', () => {
    const seen = { zipJob, job: aJob() };
    const waiting = judge({ ...seen, recovery: created(7000, [recoveryPod(scheduled(29))]) });
    expect([kinds(waiting), waiting.requeueAfterMs]).to.deep.equal([[], 151_000]);
    const overdue = judge({ ...seen, recovery: created(7000, [recoveryPod(scheduled(180))]) });
    expect(kinds(overdue)).to.deep.equal(['deleteJob']);
  });

  it('says in the condition what it waits for, once (F25)', () => {
    const unschedulable = {
      phase: 'Pending',
      conditions: [
        {
          type: 'PodScheduled',
          status: 'False',
          reason: 'Unschedulable',
          message: '0/3 nodes are available',
        },
      ],
    };
    const recovery = created(60, [recoveryPod(unschedulable)]);
    const first = judge({ zipJob, job: aJob(), recovery });
    const message = `attempt 1 waits for recovery, which gives up at ${ago(2 - 86_400)}: Unschedulable: 0/3 nodes are available`;
    expect(findCondition(first.status?.conditions, 'Recovered')).to.include({ status: 'False', message });
    expect(first.events).to.deep.equal([{ type: 'Warning', reason: 'Recovering', message }]);
    const again = withStatus({ ...zipJob.status, ...first.status });
    expect(judge({ zipJob: again, job: aJob(), recovery }))
      .to.include.keys('actions')
      .and.not.have.keys('status');
  });

  it('says in the condition that the quota refuses its pods (F25)', () => {
    const podRefusal = { reason: 'QuotaExceeded', message: 'exceeded quota: small' } as const;
    const { status } = judge({ zipJob, job: aJob(), recovery: created(60), podRefusal });
    expect(findCondition(status?.conditions, 'Recovered')?.message).to.contain(
      ': QuotaExceeded: exceeded quota: small',
    );
  });

  it('replaces a failed Job after the time that has passed since the attempt was lost (F25)', () => {
    const seen = { zipJob: withStatus(at(100)), job: aJob() };
    const waiting = judge({ ...seen, recovery: created(40, [], failed) });
    expect([kinds(waiting), waiting.requeueAfterMs]).to.deep.equal([[], 20_000]);
    expect(kinds(judge({ ...seen, recovery: created(50, [], failed) }))).to.deep.equal(['deleteJob']);
  });

  it('asks again when the store did not say why it does not know (F25)', () => {
    const recovery = created(5, [
      recoveryPod(
        ended({
          exitCode: 0,
          message: { contractVersion: 1, mode: 'recover', recovered: { outcome: 'unknown' } },
        }),
      ),
    ]);
    expect(judge({ zipJob, job: aJob(), recovery })).to.not.have.property('status');
  });
});
