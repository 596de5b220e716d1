import { expect } from 'chai';
import { findCondition } from '#crds/conditions.ts';
import type { ZipJobStatus } from '#crds/zip-job.ts';
import { ago, aJob, aPod, NAME } from '#test/support/builders/builders.ts';
import { judge, kinds, withStatus } from '#test/support/builders/judge.ts';
import { disrupted, ended } from '#test/support/builders/pod-statuses.ts';
import { aCondition, anUpload, running } from '#test/support/builders/zip-job-statuses.ts';

const settlingStatus = (upload: ReturnType<typeof anUpload> | undefined, more: ZipJobStatus = {}) => {
  const { job: _job, ...status } = running('p1', upload ? { upload } : {});
  return {
    ...status,
    job: { name: NAME, uid: 'uid-job', podName: 'p1' },
    attemptsTotal: 1,
    attempts: [
      { n: 1, podUid: 'uid-p1', startedAt: ago(40), finishedAt: ago(2), class: 'transient' as const },
    ],
    conditions: [aCondition('Accepted', ['True', 'Accepted']), aCondition('Settled', ['False', 'Settling'])],
    ...more,
  };
};
const settleWith = (settled: object, more: object = {}) => ({
  job: aJob({ metadata: { name: `${NAME}-settle-1`, uid: 'uid-settle' } }),
  pods: [
    aPod('s1', {
      status: ended({
        exitCode: 0,
        message: JSON.stringify({ contractVersion: 1, mode: 'settle', settled, ...more }),
      }),
    }),
  ],
});

describe('decide, while an attempt is settled', () => {
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
  const { progress: _progress, ...neverStarted } = settlingStatus(undefined);
  for (const [what, status, pods] of [
    ['the pod never wrote progress, so it was never told that it is in charge', neverStarted, []],
    ['the zipper said how it ended before an upload was recorded', settlingStatus(undefined), [said({})]],
  ] as const)
    it(`has nothing to settle when ${what}`, () => {
      const decision = judge({ zipJob: withStatus(status), job: aJob(), pods });
      expect(findCondition(decision.status?.conditions, 'Settled')).to.include({
        status: 'True',
        reason: 'NothingToSettle',
      });
      expect(decision.status?.phase).to.equal(status.phase);
      expect(kinds(decision)).to.not.include('createJob');
    });

  for (const [what, pods] of [
    ['is gone', []],
    ['still runs', [aPod('p1')]],
    ['was killed', [aPod('p1', { status: ended({ exitCode: 137 }) })]],
    ['never learned whether the store started one', [said({ startUnanswered: true })]],
  ] as const)
    it(`looks for an upload that nobody recorded when the pod that had started ${what} (H8)`, () => {
      const decision = judge({ zipJob: withStatus(settlingStatus(undefined)), job: aJob(), pods });
      expect(decision).to.not.have.property('status');
      const [action] = decision.actions;
      if (action?.kind !== 'createJob') throw new Error('no Job is created');
      const { annotations = {} } = action.job.spec?.template.metadata ?? {};
      const task: unknown = JSON.parse(annotations['zipjobs.dev/task'] ?? '{}');
      expect(task).to.deep.include({ mode: 'settle', uploadState: 'unrecorded', attempt: 'uid-p1' });
      expect(task).to.have.property('since');
    });

  it('goes on after a look for an upload that nobody recorded, and keeps what could not be aborted (U11)', () => {
    const zipJob = withStatus(settlingStatus(undefined));
    const settle = settleWith({ outcome: 'absent' }, { abortFailures: 2 });
    const decision = judge({ zipJob, job: aJob(), settle });
    expect(findCondition(decision.status?.conditions, 'Settled')?.status).to.equal('True');
    expect(decision.status?.attempts?.[0]).to.include({ abortFailures: 2 });
    expect(decision.status?.attempts?.[0]).to.not.have.property('upload');
  });

  it('counts an upload as left when nobody could be asked about it, and does not doubt the outcome (U11)', () => {
    const zipJob = withStatus(settlingStatus(undefined));
    const decision = judge({ zipJob, job: aJob(), settle: settleWith({ outcome: 'unknown' }, {}) });
    expect(decision.status?.phase).to.equal('Running');
    const late = {
      job: aJob({ metadata: { name: `${NAME}-settle-1`, creationTimestamp: ago(181) } }),
      pods: [],
    };
    const givenUp = judge({ zipJob, job: aJob(), settle: late });
    expect(givenUp.status?.attempts?.[0]).to.include({ abortFailures: 1 });
  });

  it('starts a settle Job for a recorded upload and charges no pod meanwhile', () => {
    const zipJob = withStatus(settlingStatus(anUpload('open')));
    const decision = judge({ zipJob, job: aJob(), pods: [aPod('p2')] });
    expect(decision).to.not.have.property('status');
    expect(decision.actions).to.have.length(1);
    expect(decision.actions[0]).to.deep.include({ kind: 'createJob', target: 'settle' });
  });

  it('goes on with the next pod when the store holds nothing of the attempt', () => {
    const zipJob = withStatus(settlingStatus(anUpload('committing')));
    const decision = judge({ zipJob, job: aJob(), settle: settleWith({ outcome: 'absent' }) });
    expect(decision.status?.phase).to.equal('Running');
    expect(decision.status?.attempts?.[0]?.upload).to.deep.equal(anUpload('committing'));
    expect(findCondition(decision.status?.conditions, 'Settled')?.status).to.equal('True');
  });

  it('succeeds when the store holds the complete archive of the attempt (F11)', () => {
    const zipJob = withStatus(settlingStatus(anUpload('committing')));
    const settle = settleWith({ outcome: 'published', bytes: 77, etag: 'tag' });
    const decision = judge({ zipJob, job: aJob(), settle });
    expect(decision.status).to.include({ phase: 'Finalizing', reason: 'ProvedByStore' });
    expect(decision.status?.result).to.include({ bytes: 77, etag: 'tag', entries: 3 });
  });

  it('turns a cancelled job into a succeeded one when the archive proves complete', () => {
    const status = settlingStatus(anUpload('committing'), { phase: 'Finalizing', reason: 'Cancelled' });
    const settle = settleWith({ outcome: 'published', bytes: 77, etag: 'tag' });
    const decision = judge({ zipJob: withStatus(status, { cancel: true }), job: aJob(), settle });
    expect(decision.status).to.include({ phase: 'Succeeded', reason: 'ProvedByStore' });
    expect(decision.status?.result?.bytes).to.equal(77);
  });

  it('fails with OutcomeUnknown when the store does not tell, and only after committing', () => {
    const settle = settleWith({ outcome: 'unknown', missingPermission: 's3:GetObject' });
    const committing = withStatus(settlingStatus(anUpload('committing')));
    const unknown = judge({ zipJob: committing, job: aJob(), settle });
    expect(unknown.status).to.include({ phase: 'Finalizing', reason: 'OutcomeUnknown' });
    expect(unknown.status?.message).to.contain('s3:GetObject');
    const open = withStatus(settlingStatus(anUpload('open')));
    expect(judge({ zipJob: open, job: aJob(), settle }).status?.phase).to.equal('Running');
  });

  it('gives up a settle Job that never answers', () => {
    const settle = {
      job: aJob({ metadata: { name: `${NAME}-settle-1`, creationTimestamp: ago(181) } }),
      pods: [],
    };
    const zipJob = withStatus(settlingStatus(anUpload('committing')));
    expect(judge({ zipJob, job: aJob(), settle }).status?.reason).to.equal('OutcomeUnknown');
  });

  it('finishes what was finalizing once settled, in one write', () => {
    const status = settlingStatus(undefined, {
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

describe('decide, between two attempts', () => {
  const settled = (attempt: object, more: ZipJobStatus = {}): ZipJobStatus => ({
    ...settlingStatus(undefined),
    attempts: [{ n: 1, podUid: 'uid-p1', startedAt: ago(40), finishedAt: ago(2), ...attempt }],
    conditions: [aCondition('Accepted', ['True', 'Accepted']), aCondition('Settled', ['True', 'Settled'])],
    ...more,
  });

  it('gives up after a permanent failure and keeps the Job, whose logs are worth reading', () => {
    const status = settled({ class: 'permanent', reason: 'SourceNotFound', message: 'file 2: not found' });
    const decision = judge({ zipJob: withStatus(status), job: aJob() });
    expect(decision.status).to.include({
      phase: 'Finalizing',
      reason: 'SourceNotFound',
      message: 'file 2: not found',
    });
    expect(kinds(decision)).to.deep.equal([]);
  });

  it('charges the next pod after a transient one', () => {
    const pods = [
      aPod('p1', { status: ended({ exitCode: 31 }) }),
      aPod('p2', { metadata: { creationTimestamp: ago(1) } }),
    ];
    const zipJob = withStatus(settled({ class: 'transient' }));
    expect(judge({ zipJob, job: aJob(), pods }).status?.job?.podUid).to.equal('uid-p2');
  });

  it('records a pod that ended before it was ever in charge', () => {
    const pods = [aPod('p2', { metadata: { creationTimestamp: ago(1) }, status: disrupted(143) })];
    const zipJob = withStatus(settled({ class: 'transient' }));
    const decision = judge({ zipJob, job: aJob(), pods });
    expect(decision.status?.attempts?.[1]).to.include({ n: 2, podUid: 'uid-p2', class: 'disruption' });
  });

  it('removes a settled pod by force when its node is gone (F10)', () => {
    const pods = [aPod('p1', { metadata: { deletionTimestamp: ago(61) } })];
    const zipJob = withStatus(settled({ class: 'disruption', reason: 'PodLost' }));
    const decision = judge({ zipJob, job: aJob(), pods });
    expect(decision.actions).to.deep.equal([{ kind: 'forceDeletePod', name: 'p1', uid: 'uid-p1' }]);
    const early = [aPod('p1', { metadata: { deletionTimestamp: ago(50) } })];
    expect(judge({ zipJob, job: aJob(), pods: early })).to.deep.include({
      actions: [],
      requeueAfterMs: 10_000,
    });
  });
});
