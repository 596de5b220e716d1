import { expect } from 'chai';
import { findCondition } from '#crds/conditions.ts';
import type { ZipJobStatus } from '#crds/zip-job.ts';
import type { Job, Pod } from '#runtime/kube/resources.ts';
import { judge, kinds, withStatus } from '#test/support/builders/judge.ts';
import { ago, aJob, aPod, NAME } from '#test/support/builders/objects.ts';
import { disrupted, ended } from '#test/support/builders/pod-statuses.ts';
import { aCondition, anUpload, running } from '#test/support/builders/zip-job-statuses.ts';

const recoveringStatus = (upload: ReturnType<typeof anUpload> | undefined, more: ZipJobStatus = {}) => {
  const { job: _job, ...status } = running('p1', upload ? { upload } : {});
  return {
    ...status,
    job: { name: NAME, uid: 'uid-job', podName: 'p1' },
    attemptsTotal: 1,
    attempts: [
      { n: 1, podUid: 'uid-p1', startedAt: ago(40), finishedAt: ago(2), class: 'transient' as const },
    ],
    conditions: [
      aCondition('Accepted', ['True', 'Accepted']),
      aCondition('Recovered', ['False', 'Recovering']),
    ],
    ...more,
  };
};
const recoverWith = (recovered: object, more: object = {}) => ({
  job: aJob({ metadata: { name: `${NAME}-recover-1`, uid: 'uid-recover' } }),
  pods: [
    aPod('s1', {
      status: ended({
        exitCode: 0,
        message: JSON.stringify({ contractVersion: 1, mode: 'recover', recovered, ...more }),
      }),
    }),
  ],
});

describe('decide while an attempt is being recovered', () => {
  const said = (more: object) =>
    aPod('p1', {
      status: ended({
        exitCode: 32,
        message: JSON.stringify({
          contractVersion: 1,
          mode: 'archive',
          failure: { code: 'StoreUnavailable', retriable: true },
          ...more,
        }),
      }),
    });
  const { progress: _progress, ...neverStarted } = recoveringStatus(undefined);
  for (const [what, status, pods] of [
    ['the pod never wrote progress, so it never learned that it was active', neverStarted, []],
    ['the zipper reported its end before an upload was recorded', recoveringStatus(undefined), [said({})]],
  ] as const)
    it(`has nothing to recover when ${what}`, () => {
      const decision = judge({ zipJob: withStatus(status), job: aJob(), pods });
      expect(findCondition(decision.status?.conditions, 'Recovered')).to.include({
        status: 'True',
        reason: 'NothingToRecover',
      });
      expect(decision.status?.phase).to.equal(status.phase);
      expect(kinds(decision)).to.not.include('createJob');
    });

  for (const [what, pods] of [
    ['is gone', []],
    ['still runs', [aPod('p1')]],
    ['was killed', [aPod('p1', { status: ended({ exitCode: 137 }) })]],
    ['got no response to the start of an upload', [said({ startUnconfirmed: true })]],
    ['could not abort its upload', [said({ abortFailures: 1 })]],
  ] as const)
    it(`searches for an unrecorded upload when the started pod ${what} (H8)`, () => {
      const decision = judge({ zipJob: withStatus(recoveringStatus(undefined)), job: aJob(), pods });
      expect(decision).to.not.have.property('status');
      const [action] = decision.actions;
      if (action?.kind !== 'createJob') throw new Error('no Job is created');
      const { annotations = {} } = action.job.spec?.template.metadata ?? {};
      const task: unknown = JSON.parse(annotations['zipjobs.dev/task'] ?? '{}');
      expect(task).to.deep.include({ mode: 'recover', uploadState: 'unrecorded', attempt: 'uid-p1' });
      expect(task).to.have.property('since');
    });

  it('continues after the search for an unrecorded upload, and counts failed aborts (U11)', () => {
    const zipJob = withStatus(recoveringStatus(undefined));
    const recovery = recoverWith({ outcome: 'absent' }, { abortFailures: 2 });
    const decision = judge({ zipJob, job: aJob(), recovery });
    expect(findCondition(decision.status?.conditions, 'Recovered')?.status).to.equal('True');
    expect(decision.status?.attempts?.[0]).to.include({ abortFailures: 2 });
    expect(decision.status?.attempts?.[0]).to.not.have.property('upload');
  });

  it('counts an upload as left behind if the store could not be reached, and keeps the outcome (U11)', () => {
    const zipJob = withStatus(recoveringStatus(undefined));
    const decision = judge({ zipJob, job: aJob(), recovery: recoverWith({ outcome: 'unknown' }, {}) });
    expect(decision.status?.phase).to.equal('Running');
    const late = {
      job: aJob({ metadata: { name: `${NAME}-recover-1`, creationTimestamp: ago(181) } }),
      pods: [],
    };
    const givenUp = judge({ zipJob, job: aJob(), recovery: late });
    expect(givenUp.status?.attempts?.[0]).to.include({ abortFailures: 1 });
  });

  it('starts a recovery Job for a recorded upload and activates no pod meanwhile', () => {
    const zipJob = withStatus(recoveringStatus(anUpload('open')));
    const decision = judge({ zipJob, job: aJob(), pods: [aPod('p2')] });
    expect(decision).to.not.have.property('status');
    expect(decision.actions).to.have.length(1);
    expect(decision.actions[0]).to.deep.include({ kind: 'createJob', target: 'recover' });
  });

  it('continues with the next pod if the attempt left nothing in the store', () => {
    const zipJob = withStatus(recoveringStatus(anUpload('committing')));
    const decision = judge({ zipJob, job: aJob(), recovery: recoverWith({ outcome: 'absent' }) });
    expect(decision.status?.phase).to.equal('Running');
    expect(decision.status?.attempts?.[0]?.upload).to.deep.equal(anUpload('committing'));
    expect(findCondition(decision.status?.conditions, 'Recovered')?.status).to.equal('True');
  });

  it('succeeds when the store holds the complete archive of the attempt (F11)', () => {
    const zipJob = withStatus(recoveringStatus(anUpload('committing')));
    const recovery = recoverWith({ outcome: 'published', bytes: 77, etag: 'tag' });
    const decision = judge({ zipJob, job: aJob(), recovery });
    expect(decision.status).to.include({ phase: 'Finalizing', reason: 'VerifiedInStore' });
    expect(decision.status?.result).to.include({ bytes: 77, etag: 'tag', entries: 3 });
  });

  it('changes a cancelled job to succeeded if the archive is verified as complete', () => {
    const status = recoveringStatus(anUpload('committing'), { phase: 'Finalizing', reason: 'Cancelled' });
    const recovery = recoverWith({ outcome: 'published', bytes: 77, etag: 'tag' });
    const decision = judge({ zipJob: withStatus(status, { cancel: true }), job: aJob(), recovery });
    expect(decision.status).to.include({ phase: 'Succeeded', reason: 'VerifiedInStore' });
    expect(decision.status?.result?.bytes).to.equal(77);
  });

  it('fails with OutcomeUnknown if the store does not report the outcome, and only after committing', () => {
    const recovery = recoverWith({ outcome: 'unknown', missingPermission: 's3:GetObject' });
    const committing = withStatus(recoveringStatus(anUpload('committing')));
    const unknown = judge({ zipJob: committing, job: aJob(), recovery });
    expect(unknown.status).to.include({ phase: 'Finalizing', reason: 'OutcomeUnknown' });
    expect(unknown.status?.message).to.contain('s3:GetObject');
    const open = withStatus(recoveringStatus(anUpload('open')));
    expect(judge({ zipJob: open, job: aJob(), recovery }).status?.phase).to.equal('Running');
  });

  describe('after committing (F25)', () => {
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

    it('waits for a pod without a node until a day has passed', () => {
      const seen = { zipJob: withStatus(at(86_399)), job: aJob(), recovery: created(86_000) };
      expect(judge(seen)).to.deep.equal({ actions: [], events: [], requeueAfterMs: 1000 });
      const late = judge({ ...seen, zipJob: withStatus(at(86_400)) });
      expect(late.status).to.include({ phase: 'Finalizing', reason: 'OutcomeUnknown' });
      expect(late.actions).to.deep.include({
        kind: 'deleteJob',
        name: `${NAME}-recover-1`,
        uid: 'uid-recover',
      });
    });

    it('gives a pod its time from its scheduling, and then replaces the Job', () => {
      const seen = { zipJob, job: aJob() };
      const waiting = judge({ ...seen, recovery: created(7000, [recoveryPod(scheduled(29))]) });
      expect([kinds(waiting), waiting.requeueAfterMs]).to.deep.equal([[], 151_000]);
      const overdue = judge({ ...seen, recovery: created(7000, [recoveryPod(scheduled(180))]) });
      expect(kinds(overdue)).to.deep.equal(['deleteJob']);
    });

    it('says in the condition what it waits for, once', () => {
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
      const message = `attempt 1 is recovered as soon as possible, at the latest at ${ago(2 - 86_400)}: Unschedulable: 0/3 nodes are available`;
      expect(findCondition(first.status?.conditions, 'Recovered')).to.include({ status: 'False', message });
      expect(first.events).to.deep.equal([{ type: 'Warning', reason: 'Recovering', message }]);
      const again = withStatus({ ...zipJob.status, ...first.status });
      expect(judge({ zipJob: again, job: aJob(), recovery }))
        .to.include.keys('actions')
        .and.not.have.keys('status');
    });

    it('replaces a failed Job after the time that has passed since the attempt was lost', () => {
      const seen = { zipJob: withStatus(at(100)), job: aJob() };
      const waiting = judge({ ...seen, recovery: created(40, [], failed) });
      expect([kinds(waiting), waiting.requeueAfterMs]).to.deep.equal([[], 20_000]);
      expect(kinds(judge({ ...seen, recovery: created(50, [], failed) }))).to.deep.equal(['deleteJob']);
    });

    it('asks again when the store did not say why it does not know', () => {
      const recovery = recoverWith({ outcome: 'unknown' });
      expect(judge({ zipJob, job: aJob(), recovery })).to.not.have.property('status');
    });
  });

  it('finishes a finalizing job after recovery in one write', () => {
    const status = recoveringStatus(undefined, {
      phase: 'Finalizing',
      reason: 'SourceNotFound',
      message: 'file 1: 404',
    });
    const zipJob = withStatus(status, { webhook: { url: 'https://hook.example', events: ['FAILED'] } });
    const decision = judge({ zipJob, job: aJob(), pods: [said({})] });
    expect(decision.status).to.deep.include({
      phase: 'Failed',
      apiStatus: 'failed',
      reason: 'SourceNotFound',
      message: 'file 1: 404',
      finishedAt: ago(0),
      duration: '35s',
    });
    expect(findCondition(decision.status?.conditions, 'Failed')?.status).to.equal('True');
    expect(decision.status?.webhook?.state).to.equal('Pending');
    expect(decision.events.at(-1)).to.deep.equal({
      type: 'Warning',
      reason: 'Failed',
      message: 'SourceNotFound: file 1: 404',
    });
  });
});

describe('decide between two attempts', () => {
  const recovered = (attempt: object, more: ZipJobStatus = {}): ZipJobStatus => ({
    ...recoveringStatus(undefined),
    attempts: [{ n: 1, podUid: 'uid-p1', startedAt: ago(40), finishedAt: ago(2), ...attempt }],
    conditions: [
      aCondition('Accepted', ['True', 'Accepted']),
      aCondition('Recovered', ['True', 'Recovered']),
    ],
    ...more,
  });

  it('gives up after a permanent failure and keeps the Job for its logs', () => {
    const status = recovered({ class: 'permanent', reason: 'SourceNotFound', message: 'file 2: not found' });
    const decision = judge({ zipJob: withStatus(status), job: aJob() });
    expect(decision.status).to.include({
      phase: 'Finalizing',
      reason: 'SourceNotFound',
      message: 'file 2: not found',
    });
    expect(kinds(decision)).to.deep.equal([]);
  });

  it('activates the next pod after a transient failure', () => {
    const pods = [
      aPod('p1', { status: ended({ exitCode: 31 }) }),
      aPod('p2', { metadata: { creationTimestamp: ago(1) } }),
    ];
    const zipJob = withStatus(recovered({ class: 'transient' }));
    expect(judge({ zipJob, job: aJob(), pods }).status?.job?.podUid).to.equal('uid-p2');
  });

  it('records a pod that ended before it was ever active', () => {
    const pods = [aPod('p2', { metadata: { creationTimestamp: ago(1) }, status: disrupted(143) })];
    const zipJob = withStatus(recovered({ class: 'transient' }));
    const decision = judge({ zipJob, job: aJob(), pods });
    expect(decision.status?.attempts?.[1]).to.include({ n: 2, podUid: 'uid-p2', class: 'disruption' });
  });

  it('force-deletes a recovered pod if its node is gone (F10)', () => {
    const pods = [aPod('p1', { metadata: { deletionTimestamp: ago(61) } })];
    const zipJob = withStatus(recovered({ class: 'disruption', reason: 'PodLost' }));
    const decision = judge({ zipJob, job: aJob(), pods });
    expect(decision.actions).to.deep.equal([{ kind: 'forceDeletePod', name: 'p1', uid: 'uid-p1' }]);
    const forced = [aPod('p1', { metadata: { deletionTimestamp: ago(50) } })];
    expect(judge({ zipJob, job: aJob(), pods: forced })).to.deep.include({
      actions: [],
      requeueAfterMs: 10_000,
    });
  });
});
