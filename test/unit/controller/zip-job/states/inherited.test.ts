import { expect } from 'chai';
import type { Decision } from '#controller/zip-job/observation.ts';
import { findCondition } from '#crds/conditions.ts';
import { EXIT_CODES } from '#crds/exit-codes.ts';
import type { UploadState, ZipJobSpec, ZipJobStatus } from '#crds/zip-job.ts';
import { judge, kinds, withStatus } from '#test/support/builders/judge.ts';
import { ago, aJob, aPod } from '#test/support/builders/objects.ts';
import { type Ending, ended, failureMessage } from '#test/support/builders/pod-statuses.ts';
import {
  aCondition,
  anUpload,
  aResult,
  INHERITED,
  progressOf,
  running,
} from '#test/support/builders/zip-job-statuses.ts';

const KEPT: UploadState = { ...anUpload('open'), checkpoint: 4 };
const ADOPTED: UploadState = { ...KEPT, owner: 'uid-p0', resumedParts: 50, resumedBytes: 400 };

/** A large job whose pod p1 is active. */
function checkpointed(more: ZipJobStatus = {}, spec: Partial<ZipJobSpec> = {}) {
  return withStatus(running('p1', { checkpointed: true, upload: KEPT, ...more }), spec);
}

/** What follows when its pod has ended like this; without an ending, the pod is gone. */
function afterEnd(
  ending: Ending | undefined,
  more: ZipJobStatus = {},
  spec: Partial<ZipJobSpec> = {},
): Decision {
  const pods = ending ? [aPod('p1', { status: ended(ending) })] : [];
  return judge({ zipJob: checkpointed(more, spec), job: aJob(), pods });
}

function recoveredReason({ status }: Decision): string | undefined {
  return findCondition(status?.conditions, 'Recovered')?.reason;
}

function failed(code: string, upload?: 'aborted' | 'open' | 'kept') {
  const message = failureMessage(code, { retriable: true });
  if (!('failure' in message)) throw new Error('no failure');
  return { ...message, failure: { ...message.failure, ...(upload && { upload }) } };
}

describe('decide when the pod of a checkpointed job is over', () => {
  const inherited: readonly (readonly [string, Ending | undefined, string])[] = [
    ['was killed', { exitCode: 137 }, 'disruption'],
    ['ran out of memory', { exitCode: 137, reason: 'OOMKilled' }, 'disruption'],
    ['is gone', undefined, 'disruption'],
    [
      'kept its upload when it was stopped',
      { exitCode: EXIT_CODES.checkpointed, message: failed('Terminated', 'kept') },
      'disruption',
    ],
    [
      'kept its upload when a source failed',
      { exitCode: EXIT_CODES.sourceUnavailable, message: failed('SourceTruncated', 'kept') },
      'disruption',
    ],
  ];
  for (const [what, ending, attemptClass] of inherited)
    it(`passes the upload of a pod that ${what} to the next one, in the write that revokes it`, () => {
      const decision = afterEnd(ending);
      expect(decision.status?.job).to.not.have.property('podUid');
      expect(decision.status?.inherits).to.deep.equal({ ...INHERITED, owner: 'uid-p1' });
      expect(decision.status?.attempts?.at(-1)).to.include({ class: attemptClass });
      expect(findCondition(decision.status?.conditions, 'Recovered')).to.include({
        status: 'True',
        reason: 'Inherited',
      });
      expect(findCondition(decision.status?.conditions, 'Running')?.status).to.equal('False');
      expect(decision.status).to.include({ phase: 'Running', reason: 'PodStarting' });
      expect([kinds(decision), decision.before]).to.deep.equal([[], undefined]);
    });

  const recovered: readonly (readonly [string, Ending | undefined, ZipJobStatus])[] = [
    ['has no checkpoint yet', { exitCode: 137 }, { upload: anUpload('open') }],
    ['recorded no upload', { exitCode: 137 }, { upload: undefined } as unknown as ZipJobStatus],
    ['was committing', { exitCode: 137 }, { upload: { ...KEPT, state: 'committing' } }],
    [
      'gave up the upload of an earlier one',
      { exitCode: 137 },
      { inherits: INHERITED, upload: { ...KEPT, state: 'discarded' } },
    ],
    [
      'failed to commit, although it kept its upload',
      { exitCode: 32, message: failed('StoreUnavailable', 'kept') },
      { upload: { ...KEPT, state: 'committing' } },
    ],
    ['tried to abort its upload', { exitCode: 31, message: failed('SourceTruncated', 'open') }, {}],
    ['ended with a permanent failure', { exitCode: 12, message: failed('SourceNotFound') }, {}],
    ['succeeded without a result', { exitCode: 0 }, {}],
  ];
  for (const [what, ending, more] of recovered)
    it(`recovers the upload of a pod that ${what}`, () => {
      const decision = afterEnd(ending, more);
      expect(recoveredReason(decision)).to.equal('Recovering');
      expect(decision.status?.inherits).to.deep.equal(more.inherits);
    });

  it('has nothing to inherit after the pod has aborted its upload', () => {
    const decision = afterEnd({ exitCode: 31, message: failed('SourceTruncated', 'aborted') });
    expect(decision.status?.attempts?.at(-1)).to.include({ uploadAborted: true, class: 'transient' });
    expect(decision.status).to.not.have.property('inherits');
  });

  it('records why a pod did not continue the upload', () => {
    const upload: UploadState = { ...anUpload('open'), uploadId: 'upload-2', refusal: 'OtherPlan' };
    const decision = afterEnd({ exitCode: 137 }, { inherits: INHERITED, upload });
    expect(decision.status?.attempts?.at(-1)).to.include({ refusal: 'OtherPlan' });
    expect(decision.status).to.not.have.property('inherits');
    expect(decision.events.map(({ reason }) => reason)).to.deep.equal(['ResumeRefused', 'AttemptFailed']);
  });

  it('has nothing to recover after the pod has given up and aborted its own upload', () => {
    const own = afterEnd(
      { exitCode: 31, message: failed('SourceTruncated', 'aborted') },
      { upload: { ...KEPT, state: 'discarded' } },
    );
    expect(own.status?.attempts?.at(-1)).to.include({ uploadAborted: true });
    // The pod may speak of an upload of its own, which it had no time to record.
    const others = afterEnd(
      { exitCode: 31, message: failed('SourceTruncated', 'aborted') },
      { inherits: INHERITED, upload: { ...KEPT, state: 'discarded', owner: 'uid-p0' } },
    );
    expect(others.status?.attempts?.at(-1)).to.not.have.property('uploadAborted');
    expect(recoveredReason(others)).to.equal('Recovering');
  });

  it('recovers while RESUME is off', () => {
    const zipJob = checkpointed();
    const decision = judge({ zipJob, job: aJob(), pods: [] }, { resume: false });
    expect(recoveredReason(decision)).to.equal('Recovering');
  });

  it('recovers instead if no attempts are left', () => {
    const attempts = [1, 2].map((n) => ({ n, podUid: `uid-old-${n}`, class: 'transient' as const }));
    const ending = { exitCode: 31, message: failed('SourceTruncated', 'kept') };
    const progress = { ...progressOf('uid-p1'), bytesUploaded: 400 };
    const more = { attempts, attemptsTotal: 2, upload: { ...ADOPTED, checkpoint: 4 }, progress };
    const decision = afterEnd(ending, more, { maxAttempts: 3 });
    expect(decision.status?.attempts?.at(-1)?.class, 'no new part').to.equal('transient');
    expect(recoveredReason(decision)).to.equal('Recovering');
  });

  it('counts an attempt that confirmed no new part, so that a crash loop ends by maxAttempts (F7)', () => {
    const progress = { ...progressOf('uid-p1'), bytesUploaded: 400 };
    for (const [ending, attemptClass] of [
      [{ exitCode: 1 }, 'transient'],
      [{ exitCode: 137, reason: 'OOMKilled' }, 'oom'],
      [{ exitCode: EXIT_CODES.superseded }, 'superseded'],
    ] as const) {
      const still = afterEnd(ending, {
        upload: ADOPTED,
        progress,
        inherits: { ...INHERITED, resumes: 1, adoptedBy: 'uid-p1' },
      });
      expect(still.status?.attempts?.at(-1)).to.include({
        class: attemptClass,
        resumedParts: 50,
        resumedBytes: 400,
      });
      const ahead = { upload: ADOPTED, progress: { ...progress, bytesUploaded: 500 } };
      expect(afterEnd(ending, ahead).status?.attempts?.at(-1)).to.include({ class: 'disruption' });
    }
  });

  it('ends an out of memory loop that advances by MAX_DISRUPTIONS, not by two of them', () => {
    const attempts = Array.from({ length: 10 }, (_, n) => ({
      n: n + 11,
      podUid: `uid-old-${n}`,
      class: 'disruption' as const,
    }));
    const oom = { exitCode: 137, reason: 'OOMKilled' };
    const last = afterEnd(oom, {
      attempts: attempts.map((one) => ({ ...one, n: one.n - 1 })),
      attemptsTotal: 19,
    });
    expect(recoveredReason(last)).to.equal('Inherited');
    const tooMany = afterEnd(oom, { attempts, attemptsTotal: 20 });
    expect(recoveredReason(tooMany)).to.equal('Recovering');
  });

  it('keeps what a pod inherited that ended before it recorded an upload', () => {
    const { upload: _upload, ...status } = running('p1', { checkpointed: true, inherits: INHERITED });
    const decision = judge({ zipJob: withStatus(status), job: aJob(), pods: [] });
    expect(decision.status?.inherits).to.deep.equal(INHERITED);
    const { uploadId, owner, partSize, checkpoint } = INHERITED;
    expect(decision.status?.attempts?.at(-1)?.upload).to.deep.equal({
      uploadId,
      owner,
      state: 'open',
      partSize,
      checkpoint,
    });
    expect(recoveredReason(decision)).to.equal('Inherited');
  });

  it('passes an adopted upload on with its first owner, its newest checkpoint and the number of its pods', () => {
    const decision = afterEnd(
      { exitCode: 137 },
      { inherits: INHERITED, upload: { ...ADOPTED, checkpoint: 9 } },
    );
    expect(decision.status?.inherits).to.deep.equal({ ...INHERITED, checkpoint: 9, resumes: 1 });
    expect(decision.events.map(({ reason }) => reason)).to.deep.equal(['Resumed', 'AttemptFailed']);
  });
});

describe('decide while a pod continues an upload', () => {
  const pods = [aPod('p1')];

  it('creates the ZipCheckpoint of a large job before it says so in the status', () => {
    const large = { progress: { ...progressOf('uid-p1'), bytesUploaded: 1_073_741_824 } };
    const zipJob = withStatus(running('p1', { upload: anUpload('open'), ...large }));
    const decision = judge({ zipJob, job: aJob(), pods });
    expect(decision.before).to.deep.equal([{ kind: 'setCheckpoint', podUid: 'uid-p1' }]);
    expect(decision.status).to.include({ checkpointed: true });
  });

  function runs(seconds: number) {
    const conditions = [
      aCondition('Accepted', ['True', 'Accepted']),
      aCondition('Running', ['True', 'Running'], { lastTransitionTime: ago(seconds) }),
    ];
    return { conditions };
  }
  const open = { upload: anUpload('open') };
  const cases = [
    ['after a minute', { ...open, ...runs(60) }, {}, {}, true],
    ['not before', { ...open, ...runs(59) }, {}, {}, false],
    ['not without an upload', runs(60), {}, {}, false],
    ['not with a hash of the whole archive', { ...open, ...runs(60) }, { sha256: true }, {}, false],
    ['not twice', { ...open, ...runs(60), checkpointed: true }, {}, {}, false],
    ['not where parts cannot be listed', { ...open, ...runs(60), checkpointed: false }, {}, {}, false],
    ['not soon after a refusal', { ...open, ...runs(60) }, {}, { isCheckpointRefused: true }, false],
    ['not while it commits', { upload: anUpload('committing'), ...runs(60) }, {}, {}, false],
  ] as const;
  for (const [what, status, spec, seen, isWanted] of cases)
    it(`creates a ZipCheckpoint: ${what}`, () => {
      const zipJob = withStatus(running('p1', status), spec);
      const { before } = judge({ zipJob, job: aJob(), pods, ...seen });
      expect(before !== undefined).to.equal(isWanted);
    });

  it('creates none while RESUME is off', () => {
    const zipJob = withStatus(running('p1', { ...open, ...runs(60) }));
    expect(judge({ zipJob, job: aJob(), pods }, { resume: false }).before).to.equal(undefined);
  });

  it('makes the next pod the writer of the ZipCheckpoint before it becomes active', () => {
    const { job, ...status } = running('p1', { checkpointed: true, inherits: INHERITED });
    const attempts = [{ n: 1, podUid: 'uid-p1', class: 'disruption' as const }];
    const zipJob = withStatus({ ...status, attempts, job: { name: job?.name ?? '', uid: 'uid-job' } });
    const decision = judge({ zipJob, job: aJob(), pods: [aPod('p2')] });
    expect(decision.before).to.deep.equal([{ kind: 'setCheckpoint', podUid: 'uid-p2' }]);
    expect(decision.status?.job).to.include({ podUid: 'uid-p2' });
    expect(decision.status?.inherits).to.deep.equal(INHERITED);
  });

  it('records which pod continues the upload, once', () => {
    const zipJob = checkpointed({ inherits: INHERITED, upload: ADOPTED });
    const decision = judge({ zipJob, job: aJob(), pods });
    const adopted = { ...INHERITED, resumes: 1, adoptedBy: 'uid-p1' };
    expect(decision.status?.inherits).to.deep.equal(adopted);
    expect(decision.events).to.deep.equal([
      {
        type: 'Normal',
        reason: 'Resumed',
        message: 'pod p1 continues the upload: 50 parts, 0.0 MB are kept',
      },
    ]);
    const again = judge({ zipJob: checkpointed({ inherits: adopted, upload: ADOPTED }), job: aJob(), pods });
    expect(again).to.not.have.property('status');
  });

  it('waits while the pod gives up the upload, and forgets it when the pod has another one', () => {
    const gone: UploadState = { ...KEPT, owner: 'uid-p0', state: 'discarded' };
    const waits = judge({ zipJob: checkpointed({ inherits: INHERITED, upload: gone }), job: aJob(), pods });
    expect(waits).to.not.have.property('status');
    const upload: UploadState = { ...anUpload('open'), uploadId: 'upload-2', refusal: 'LayoutChanged' };
    const decision = judge({ zipJob: checkpointed({ inherits: INHERITED, upload }), job: aJob(), pods });
    expect(decision.status).to.not.have.property('inherits');
    expect(decision.status).to.include({ checkpointed: true });
    const [event] = decision.events;
    expect(event).to.include({ type: 'Warning', reason: 'ResumeRefused' });
    expect(event?.message).to.contain('LayoutChanged: A source has another length');
  });

  it('makes no more checkpoints of a job whose credentials may not list parts', () => {
    const upload: UploadState = { ...anUpload('open'), uploadId: 'upload-2', refusal: 'PartsHidden' };
    const decision = judge({ zipJob: checkpointed({ inherits: INHERITED, upload }), job: aJob(), pods });
    expect(decision.status).to.include({ checkpointed: false });
    expect(decision.before).to.deep.equal([{ kind: 'deleteCheckpoint' }]);
  });

  it('deletes the ZipCheckpoint before the write that finishes the job', () => {
    const zipJob = checkpointed({ inherits: INHERITED, upload: ADOPTED, result: aResult() });
    const decision = judge({ zipJob, job: aJob(), pods });
    expect(decision.status).to.include({ phase: 'Succeeded', reason: 'Uploaded' });
    expect(decision.status).to.not.have.any.keys('inherits', 'checkpointed');
    expect(decision.before).to.deep.equal([{ kind: 'deleteCheckpoint' }]);
    expect(decision.events.map(({ reason }) => reason)).to.deep.equal(['Resumed', 'Succeeded']);
  });
});
