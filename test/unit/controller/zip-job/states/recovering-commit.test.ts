/** After CompleteMultipartUpload may have been sent, only the store knows the outcome. */
import { expect } from 'chai';
import type { Decision } from '#controller/zip-job/observation.ts';
import { findCondition } from '#crds/conditions.ts';
import type { ZipJobStatus } from '#crds/zip-job.ts';
import type { Job, Pod } from '#runtime/kube/resources.ts';
import { judge, kinds, withStatus } from '#test/support/builders/judge.ts';
import { ago, aJob, aPod, NAME } from '#test/support/builders/objects.ts';
import { ended } from '#test/support/builders/pod-statuses.ts';
import { anUpload, recoveringStatus } from '#test/support/builders/zip-job-statuses.ts';

describe('decide while an attempt that committed is being recovered', () => {
  const zipJob = withStatus(recoveringStatus(anUpload('committing')));
  function scheduled(seconds: number) {
    return {
      phase: 'Pending',
      conditions: [{ type: 'PodScheduled', status: 'True', lastTransitionTime: ago(seconds) }],
    };
  }
  function recoveryPod(status: object) {
    return aPod('s1', {
      metadata: {
        ownerReferences: [{ apiVersion: 'batch/v1', kind: 'Job', name: 'r', uid: 'uid-recover' }],
      },
      status,
    });
  }
  function created(seconds: number, pods: readonly Pod[] = [], status?: Job['status'] & object) {
    return {
      job: aJob({
        metadata: { name: `${NAME}-recover-1`, uid: 'uid-recover', creationTimestamp: ago(seconds) },
        ...(status && { status }),
      }),
      pods,
    };
  }
  const failed = { conditions: [{ type: 'Failed', status: 'True', reason: 'BackoffLimitExceeded' }] };
  function at(seconds: number) {
    return recoveringStatus(anUpload('committing'), attemptEnded(seconds));
  }
  function attemptEnded(seconds: number): ZipJobStatus {
    return {
      attempts: [{ n: 1, podUid: 'uid-p1', finishedAt: ago(seconds), class: 'transient' }],
    };
  }

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

  it('ends as OutcomeUnknown when the archive did not appear while the store could assemble it (F47)', () => {
    const recovered = { outcome: 'unknown', goneBeforeAbort: true } as const;
    const message = { contractVersion: 1, mode: 'recover', recovered } as const;
    const recovery = created(5, [recoveryPod(ended({ exitCode: 0, message }))]);
    const { status } = judge({ zipJob, job: aJob(), recovery });
    expect(status).to.include({ phase: 'Finalizing', reason: 'OutcomeUnknown' });
    expect(status?.message).to.match(
      /gone before it could be aborted.*an archive may still appear at key out\/archive.zip$/,
    );
  });

  for (const [what, spec, metadata, limit] of [
    ['cancelled', { cancel: true }, {}, 280],
    ['deleted', {}, { deletionTimestamp: ago(0) }, 220],
  ] as const)
    it(`waits no longer than a deletion may take for the archive of a job that is ${what}, and says that it may appear (F47)`, () => {
      const reason = what === 'cancelled' ? 'Cancelled' : 'Deleted';
      function wait(seconds: number): Decision {
        const status = { ...at(seconds), phase: 'Finalizing', reason } as const;
        const since = what === 'deleted' ? { deletionTimestamp: ago(seconds) } : metadata;
        const recovery = created(seconds, [], failed);
        return judge({ zipJob: withStatus(status, spec, since), job: aJob(), recovery });
      }
      expect(wait(limit - 1).status?.phase).not.to.equal('Failed');
      const { status, events } = wait(limit);
      expect(status).to.include({ phase: 'Failed', reason: 'OutcomeUnknown' });
      expect(status?.message).to.contain('an archive may still appear at key out/archive.zip');
      expect(events.at(-1)?.message).to.contain('an archive may still appear');
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
