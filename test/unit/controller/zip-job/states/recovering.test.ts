import { expect } from 'chai';
import { findCondition } from '#crds/conditions.ts';
import type { ZipJobStatus } from '#crds/zip-job.ts';
import { judge, kinds, withStatus } from '#test/support/builders/judge.ts';
import { ago, aJob, aPod, NAME } from '#test/support/builders/objects.ts';
import { disrupted, ended } from '#test/support/builders/pod-statuses.ts';
import { aCondition, anUpload, recoveringStatus, running } from '#test/support/builders/zip-job-statuses.ts';

function recoverWith(recovered: object, more: object = {}) {
  return {
    job: aJob({ metadata: { name: `${NAME}-recover-1`, uid: 'uid-recover' } }),
    pods: [
      aPod('s1', {
        status: ended({
          exitCode: 0,
          message: JSON.stringify({ contractVersion: 1, mode: 'recover', recovered, ...more }),
        }),
      }),
    ],
  };
}

describe('decide while an attempt is being recovered', () => {
  function said(more: object) {
    return aPod('p1', {
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
  }
  const { progress: _progress, ...neverStarted } = recoveringStatus(undefined);
  const attempt = {
    n: 1,
    podUid: 'uid-p1',
    startedAt: ago(40),
    finishedAt: ago(2),
    class: 'transient',
  } as const;
  const reported = { attempts: [{ ...attempt, exitCode: 32 }] };
  for (const [what, status, pods] of [
    ['the pod never wrote progress, so it never learned that it was active', neverStarted, []],
    [
      'the zipper reported its end before an upload was recorded',
      recoveringStatus(undefined, reported),
      [said({})],
    ],
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

  for (const [state, upload, left, recovers] of [
    ['open', 'aborted', {}, false],
    ['committing', 'aborted', {}, false],
    ['committing', 'aborted', { startUnconfirmed: true }, 'open'],
    ['committing', 'aborted', { abortFailures: 1 }, 'open'],
    ['committing', 'open', { abortFailures: 1 }, 'open'],
    ['committing', undefined, {}, 'committing'],
  ] as const)
    it(`${recovers === false ? 'recovers nothing' : `recovers an upload as ${recovers}`} if the status says ${state}, and the zipper reports ${JSON.stringify({ upload, ...left })} (F42) (F45)`, () => {
      const failure = { code: 'Terminated', retriable: true, ...(upload && { upload }) };
      const pods = [said({ failure, ...left })];
      const active = running('p1', { upload: anUpload(state) });
      const ended = judge({ zipJob: withStatus(active), job: aJob(), pods });
      const next = judge({ zipJob: withStatus({ ...active, ...ended.status }), job: aJob(), pods });
      if (recovers === false) {
        expect(kinds(next)).not.to.include('createJob');
        expect(findCondition(next.status?.conditions, 'Recovered')).to.include({
          reason: 'NothingToRecover',
        });
        return;
      }
      const [action] = next.actions;
      if (action?.kind !== 'createJob') throw new Error('no Job is created');
      const { annotations = {} } = action.job.spec?.template.metadata ?? {};
      expect(JSON.parse(annotations['zipjobs.dev/task'] ?? '{}')).to.include({ uploadState: recovers });
    });

  it('recovers an upload whose zipper reported its abort only in the status, after its pod is gone (F42)', () => {
    const failure = { code: 'Terminated', retriable: true, upload: 'aborted' } as const;
    const active = running('p1', { upload: anUpload('committing'), failure });
    const ended = judge({ zipJob: withStatus(active), job: aJob(), pods: [] });
    expect(ended.status?.attempts?.[0]).to.deep.include({ upload: anUpload('open') });
    expect(ended.status?.attempts?.[0]).not.to.have.property('uploadAborted');
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
    const lost = { attempts: [{ ...attempt, finishedAt: ago(182) }] };
    const since = withStatus(recoveringStatus(undefined, lost));
    const givenUp = judge({ zipJob: since, job: aJob(), recovery: late });
    expect(givenUp.status?.attempts?.[0]).to.include({ abortFailures: 1 });
  });

  it('tries to create the recovery Job of an attempt although that of an earlier one was refused for long (F25)', () => {
    const refusal = {
      target: 'recover',
      reason: 'QuotaExceeded',
      message: 'exceeded quota',
      since: new Date(ago(3600)),
      retryAt: new Date(ago(3000)),
      count: 9,
      mayExist: false,
    } as const;
    const zipJob = withStatus(recoveringStatus(anUpload('open')));
    expect(kinds(judge({ zipJob, job: aJob(), refusal }))).to.deep.equal(['createJob']);
    const before = judge({ zipJob, job: aJob(), refusal: { ...refusal, retryAt: new Date(ago(-1)) } });
    expect(before).to.not.have.property('status');
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

  it('finishes a finalizing job after recovery in one write', () => {
    const status = recoveringStatus(undefined, {
      ...reported,
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
  function recovered(attempt: object, more: ZipJobStatus = {}): ZipJobStatus {
    return {
      ...recoveringStatus(undefined),
      attempts: [{ n: 1, podUid: 'uid-p1', startedAt: ago(40), finishedAt: ago(2), ...attempt }],
      conditions: [
        aCondition('Accepted', ['True', 'Accepted']),
        aCondition('Recovered', ['True', 'Recovered']),
      ],
      ...more,
    };
  }

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
