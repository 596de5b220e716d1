import { expect } from 'chai';
import { FINALIZER } from '#crds/api-group.ts';
import { findCondition } from '#crds/conditions.ts';
import type { ZipJobStatus } from '#crds/zip-job.ts';
import { decide } from '../../../controller/decide.ts';
import { archiveJob } from '../../../controller/job-manifest.ts';
import type { Decision, Observation } from '../../../controller/observation.ts';
import {
  aCondition,
  aConfig,
  ago,
  aJob,
  anObservation,
  anUpload,
  aPod,
  aResult,
  aZipBucket,
  aZipJob,
  disrupted,
  ended,
  failureMessage,
  finishedAs,
  NAME,
  NOW,
  progressOf,
  running,
  starting,
} from '../../support/builders.ts';

const config = aConfig();
const judge = (seen: Observation): Decision => decide(seen, NOW, config);
const kinds = ({ actions }: Decision): readonly string[] => actions.map(({ kind }) => kind);
const withStatus = (status: ZipJobStatus, spec = {}, metadata = {}) =>
  aZipJob({ status, spec, metadata: { finalizers: [FINALIZER], ...metadata } });

const JUST_ACCEPTED = {
  type: 'Accepted',
  status: 'True',
  reason: 'Accepted',
  message: 'The request was accepted.',
  lastTransitionTime: ago(0),
  observedGeneration: 1,
};

describe('decide, before there is a Job', () => {
  it('accepts a new ZipJob, adds the finalizer and creates the Job, in this order', () => {
    const zipJob = aZipJob();
    const decision = judge(anObservation({ zipJob }));
    expect(decision).to.deep.equal({
      status: {
        acceptedAt: ago(60),
        observedGeneration: 1,
        phase: 'Queued',
        apiStatus: 'none',
        reason: 'Queued',
        message: 'Waiting for its turn.',
        conditions: [JUST_ACCEPTED],
      },
      actions: [
        { kind: 'addFinalizer' },
        { kind: 'createJob', target: 'archive', job: archiveJob(zipJob, aZipBucket(), config) },
      ],
      events: [{ type: 'Normal', reason: 'Accepted', message: 'The request was accepted.' }],
    });
  });

  const queued: ZipJobStatus = {
    observedGeneration: 1,
    phase: 'Queued',
    apiStatus: 'none',
    reason: 'Queued',
    message: 'Waiting for its turn.',
    acceptedAt: ago(60),
    conditions: [JUST_ACCEPTED],
  };

  const refused: readonly {
    name: string;
    given: Partial<Observation>;
    want: { phase: string; reason: string };
  }[] = [
    {
      name: 'an unknown bucket',
      given: { bucket: undefined },
      want: { phase: 'Failed', reason: 'BucketNotFound' },
    },
    {
      name: 'metadata that is an array',
      given: { zipJob: aZipJob({ spec: { metadata: '[1]' } }) },
      want: { phase: 'Failed', reason: 'InvalidMetadata' },
    },
    {
      name: "somebody else's Secret as file list",
      given: {
        zipJob: aZipJob({
          spec: {
            filesFrom: { secretNames: ['zipbucket-s3-x'], encoding: 'gzip+json', count: 1, sha256: '' },
          },
        }),
      },
      want: { phase: 'Failed', reason: 'InvalidFileList' },
    },
    {
      name: 'a job from a backup',
      given: { zipJob: aZipJob({ metadata: { annotations: { 'zipjobs.dev/accepted-at': ago(90_000) } } }) },
      want: { phase: 'Failed', reason: 'Restored' },
    },
    {
      name: "somebody else's Job of the same name",
      given: { job: aJob({ metadata: { ownerReferences: [] } }) },
      want: { phase: 'Failed', reason: 'NameConflict' },
    },
    {
      name: 'a job that is cancelled in the queue',
      given: { zipJob: withStatus(queued, { cancel: true }) },
      want: { phase: 'Cancelled', reason: 'Cancelled' },
    },
  ];
  for (const { name, given, want } of refused)
    it(`ends ${name} at once as ${want.phase}, ${want.reason}, and creates nothing`, () => {
      const decision = judge(anObservation(given));
      expect(decision.status).to.include({ ...want, apiStatus: 'failed', finishedAt: ago(0) });
      expect(findCondition(decision.status?.conditions, 'Complete')?.status).to.equal('False');
      expect(findCondition(decision.status?.conditions, 'Settled')?.reason).to.equal('NothingToSettle');
      expect(kinds(decision)).to.deep.equal([]);
    });

  it('waits without a project, and fails by the start deadline with what it waited for (F13)', () => {
    const waiting = judge(anObservation({ project: undefined }));
    expect(waiting.status).to.include({ phase: 'Queued', reason: 'ProjectNotFound' });
    const late = aCondition('Waiting', 'True', 'ProjectNotFound', { lastTransitionTime: ago(601) });
    const zipJob = withStatus({ ...queued, conditions: [late] });
    expect(judge(anObservation({ zipJob, project: undefined })).status).to.include({
      phase: 'Failed',
      reason: 'StartDeadlineExceeded',
    });
  });

  it('holds a suspended job in the queue', () => {
    const decision = judge(anObservation({ zipJob: aZipJob({ spec: { suspend: true } }) }));
    expect(decision.status).to.include({ phase: 'Queued', reason: 'Suspended' });
    expect(findCondition(decision.status?.conditions, 'Suspended')?.status).to.equal('True');
    expect(kinds(decision)).to.deep.equal([]);
  });

  it('lets the older job of the same key go first', () => {
    const older = aZipJob({ metadata: { name: 'older', creationTimestamp: ago(100) } });
    const decision = judge(anObservation({ rivals: [older] }));
    expect(decision.status).to.include({ phase: 'Queued', reason: 'OlderJobFirst' });
    expect(kinds(decision)).to.deep.equal([]);
  });

  it('does not create again before the time that the API server asked for (F6)', () => {
    const refusal = {
      target: 'archive',
      reason: 'QuotaExceeded',
      message: 'no',
      since: NOW,
      count: 1,
      retryAt: new Date(NOW.getTime() + 2000),
    } as const;
    const decision = judge(anObservation({ zipJob: withStatus(queued), refusal }));
    expect(decision.status).to.include({ phase: 'Queued', reason: 'QuotaExceeded' });
    expect(findCondition(decision.status?.conditions, 'Waiting')?.status).to.equal('True');
    expect(kinds(decision)).to.deep.equal([]);
    expect(decision.requeueAfterMs).to.equal(2000);
    expect(kinds(judge(anObservation({ refusal: { ...refusal, retryAt: NOW } })))).to.deep.equal([
      'createJob',
    ]);
  });

  it('finds a Job that was created before the status could tell of it (F2)', () => {
    const decision = judge(anObservation({ zipJob: withStatus(queued), job: aJob() }));
    expect(decision.status).to.deep.include({
      phase: 'Starting',
      apiStatus: 'none',
      job: { name: NAME, uid: 'uid-job' },
    });
    expect(kinds(decision)).to.deep.equal([]);
  });
});

describe('decide, while a Job is there', () => {
  it('puts the one pod in charge', () => {
    const decision = judge(
      anObservation({ zipJob: withStatus(starting()), job: aJob(), pods: [aPod('p1')] }),
    );
    expect(decision.status?.job).to.deep.equal({
      name: NAME,
      uid: 'uid-job',
      podName: 'p1',
      podUid: 'uid-p1',
      node: 'node-1',
    });
    expect(findCondition(decision.status?.conditions, 'Settled')).to.include({
      status: 'False',
      reason: 'PodInCharge',
    });
  });

  it('puts no second pod in charge while the first is not settled', () => {
    const zipJob = withStatus(running('p1'));
    const pods = [aPod('p1'), aPod('p2', { metadata: { creationTimestamp: ago(1) } })];
    expect(judge(anObservation({ zipJob, job: aJob(), pods }))).to.not.have.property('status');
  });

  it('is Running from the first progress of the pod in charge', () => {
    const zipJob = withStatus({ ...starting('p1'), progress: progressOf('uid-p1') });
    const decision = judge(anObservation({ zipJob, job: aJob(), pods: [aPod('p1')] }));
    expect(decision.status).to.include({ phase: 'Running', apiStatus: 'processing', startedAt: ago(5) });
  });

  it('decides nothing when nothing changed', () => {
    const seen = anObservation({ zipJob: withStatus(running('p1')), job: aJob(), pods: [aPod('p1')] });
    const { status, actions, events } = judge(seen);
    expect({ status, actions, events }).to.deep.equal({ status: undefined, actions: [], events: [] });
  });

  it('takes a pod that failed out of charge, keeps its evidence, and starts settling', () => {
    const message = failureMessage('SourceTruncated', { fileIndex: 3, message: 'the source ended early' });
    const zipJob = withStatus(running('p1', { upload: anUpload('open') }));
    const pods = [aPod('p1', { status: ended({ exitCode: 31, message }) })];
    const decision = judge(anObservation({ zipJob, job: aJob(), pods }));
    expect(decision.status?.job).to.deep.equal({ name: NAME, uid: 'uid-job', podName: 'p1', node: 'node-1' });
    expect(decision.status?.attempts).to.deep.equal([
      {
        n: 1,
        podUid: 'uid-p1',
        startedAt: ago(40),
        finishedAt: ago(0),
        exitCode: 31,
        class: 'transient',
        reason: 'SourceTruncated',
        message: 'file 3: the source ended early',
        upload: anUpload('open'),
      },
    ]);
    expect(decision.status?.attemptsTotal).to.equal(1);
    expect(findCondition(decision.status?.conditions, 'Settled')?.reason).to.equal('Settling');
    expect(decision.status?.phase).to.equal('Running');
    expect(kinds(decision)).to.deep.equal([]);
  });

  it('takes a pod that is gone out of charge (F16)', () => {
    const decision = judge(anObservation({ zipJob: withStatus(running('p1')), job: aJob(), pods: [] }));
    expect(decision.status?.attempts?.[0]).to.include({ class: 'disruption', reason: 'PodGone' });
  });

  it('writes nothing and waits when a pod wrote its result and has not exited yet', () => {
    const zipJob = withStatus(running('p1', { result: aResult(), upload: anUpload('committing') }));
    const decision = judge(anObservation({ zipJob, job: aJob(), pods: [aPod('p1')] }));
    expect(decision).to.deep.equal({ actions: [], events: [], requeueAfterMs: 25_000 });
  });

  it('finalizes with the result of the pod in charge, without settling it', () => {
    const zipJob = withStatus(running('p1', { result: aResult(), upload: anUpload('committing') }));
    const pods = [aPod('p1', { status: ended({ exitCode: 0 }) })];
    const decision = judge(anObservation({ zipJob, job: aJob(), pods }));
    expect(decision.status).to.include({ phase: 'Finalizing', reason: 'Uploaded', attemptsTotal: 1 });
    expect(decision.status?.attempts?.[0]).to.include({ class: 'success', exitCode: 0 });
    expect(decision.status?.job).to.not.have.property('podUid');
    expect(findCondition(decision.status?.conditions, 'Settled')?.status).to.equal('True');
  });

  it('believes a result even when the job is cancelled at the same time', () => {
    const zipJob = withStatus(running('p1', { result: aResult() }), { cancel: true });
    const pods = [aPod('p1', { status: ended({ exitCode: 0 }) })];
    expect(judge(anObservation({ zipJob, job: aJob(), pods })).status).to.include({ reason: 'Uploaded' });
  });

  it('does not take the result of an earlier pod for that of the pod in charge', () => {
    const zipJob = withStatus({ ...starting('p2'), progress: progressOf('uid-p1'), result: aResult() });
    const decision = judge(anObservation({ zipJob, job: aJob(), pods: [aPod('p2')] }));
    expect(decision).to.not.have.property('status');
  });

  it('revokes the charge and deletes the Job of a job that is cancelled', () => {
    const zipJob = withStatus(running('p1', { upload: anUpload('open') }), { cancel: true });
    const decision = judge(anObservation({ zipJob, job: aJob(), pods: [aPod('p1')] }));
    expect(decision.status).to.include({ phase: 'Finalizing', reason: 'Cancelled', apiStatus: 'processing' });
    expect(decision.status?.job).to.not.have.property('podUid');
    expect(decision.actions).to.deep.equal([{ kind: 'deleteJob', name: NAME, uid: 'uid-job' }]);
  });

  it('ends a job whose Job somebody deleted (F16)', () => {
    const decision = judge(
      anObservation({ zipJob: withStatus(running('p1', { upload: anUpload('open') })) }),
    );
    expect(decision.status).to.include({ phase: 'Finalizing', reason: 'JobDeleted' });
  });

  it('ends a job by its own deadline when the pod will not die (F17)', () => {
    const job = aJob({ status: { startTime: ago(7216) } });
    const decision = judge(anObservation({ zipJob: withStatus(running('p1')), job, pods: [aPod('p1')] }));
    expect(decision.status).to.include({ phase: 'Finalizing', reason: 'DeadlineExceeded' });
  });

  it('ends a job whose bucket is gone (F15)', () => {
    const seen = { zipJob: withStatus(running('p1')), job: aJob(), pods: [aPod('p1')], bucket: undefined };
    expect(judge(anObservation(seen)).status).to.include({ phase: 'Finalizing', reason: 'BucketDeleted' });
  });

  it('fails by the start deadline and says what the pod waits for (F13)', () => {
    const pods = [
      aPod('p1', {
        status: {
          phase: 'Pending',
          conditions: [
            { type: 'PodScheduled', status: 'False', reason: 'Unschedulable', message: '0/1 nodes' },
          ],
        },
      }),
    ];
    const zipJob = withStatus(starting('p1'));
    const early = judge(anObservation({ zipJob, job: aJob(), pods }));
    expect(findCondition(early.status?.conditions, 'Waiting')).to.include({
      status: 'True',
      reason: 'Unschedulable',
      message: '0/1 nodes',
    });
    const late = judge(
      anObservation({ zipJob, job: aJob({ metadata: { creationTimestamp: ago(601) } }), pods }),
    );
    expect(late.status).to.include({ phase: 'Finalizing', reason: 'StartDeadlineExceeded' });
    expect(late.status?.message).to.contain('Unschedulable: 0/1 nodes');
    expect(kinds(late)).to.deep.equal(['deleteJob']);
  });
});

const settlingStatus = (upload: ReturnType<typeof anUpload> | undefined, more: ZipJobStatus = {}) => {
  const { job: _job, ...status } = running('p1', upload ? { upload } : {});
  return {
    ...status,
    job: { name: NAME, uid: 'uid-job', podName: 'p1' },
    attemptsTotal: 1,
    attempts: [
      { n: 1, podUid: 'uid-p1', startedAt: ago(40), finishedAt: ago(2), class: 'transient' as const },
    ],
    conditions: [aCondition('Accepted', 'True', 'Accepted'), aCondition('Settled', 'False', 'Settling')],
    ...more,
  };
};
const settleWith = (settled: object) => ({
  job: aJob({ metadata: { name: `${NAME}-settle-1`, uid: 'uid-settle' } }),
  pods: [
    aPod('s1', {
      status: ended({
        exitCode: 0,
        message: JSON.stringify({ contractVersion: 1, mode: 'settle', settled }),
      }),
    }),
  ],
});

describe('decide, while an attempt is settled', () => {
  it('has nothing to settle when no upload was recorded', () => {
    const decision = judge(anObservation({ zipJob: withStatus(settlingStatus(undefined)), job: aJob() }));
    expect(findCondition(decision.status?.conditions, 'Settled')).to.include({
      status: 'True',
      reason: 'NothingToSettle',
    });
    expect(decision.status?.phase).to.equal('Running');
  });

  it('starts a settle Job for a recorded upload and charges no pod meanwhile', () => {
    const zipJob = withStatus(settlingStatus(anUpload('open')));
    const decision = judge(anObservation({ zipJob, job: aJob(), pods: [aPod('p2')] }));
    expect(decision).to.not.have.property('status');
    expect(decision.actions).to.have.length(1);
    expect(decision.actions[0]).to.deep.include({ kind: 'createJob', target: 'settle' });
  });

  it('goes on with the next pod when the store holds nothing of the attempt', () => {
    const zipJob = withStatus(settlingStatus(anUpload('committing')));
    const decision = judge(anObservation({ zipJob, job: aJob(), settle: settleWith({ outcome: 'absent' }) }));
    expect(decision.status?.phase).to.equal('Running');
    expect(decision.status?.attempts?.[0]?.upload).to.deep.equal(anUpload('committing'));
    expect(findCondition(decision.status?.conditions, 'Settled')?.status).to.equal('True');
  });

  it('succeeds when the store holds the complete archive of the attempt (F11)', () => {
    const zipJob = withStatus(settlingStatus(anUpload('committing')));
    const settle = settleWith({ outcome: 'published', bytes: 77, etag: 'tag' });
    const decision = judge(anObservation({ zipJob, job: aJob(), settle }));
    expect(decision.status).to.include({ phase: 'Finalizing', reason: 'ProvedByStore' });
    expect(decision.status?.result).to.include({ bytes: 77, etag: 'tag', entries: 3 });
  });

  it('turns a cancelled job into a succeeded one when the archive proves complete', () => {
    const status = settlingStatus(anUpload('committing'), { phase: 'Finalizing', reason: 'Cancelled' });
    const settle = settleWith({ outcome: 'published', bytes: 77, etag: 'tag' });
    const decision = judge(
      anObservation({ zipJob: withStatus(status, { cancel: true }), job: aJob(), settle }),
    );
    expect(decision.status).to.include({ phase: 'Succeeded', reason: 'ProvedByStore' });
    expect(decision.status?.result?.bytes).to.equal(77);
  });

  it('fails with OutcomeUnknown when the store does not tell, and only after committing', () => {
    const settle = settleWith({ outcome: 'unknown', missingPermission: 's3:GetObject' });
    const committing = withStatus(settlingStatus(anUpload('committing')));
    const unknown = judge(anObservation({ zipJob: committing, job: aJob(), settle }));
    expect(unknown.status).to.include({ phase: 'Finalizing', reason: 'OutcomeUnknown' });
    expect(unknown.status?.message).to.contain('s3:GetObject');
    const open = withStatus(settlingStatus(anUpload('open')));
    expect(judge(anObservation({ zipJob: open, job: aJob(), settle })).status?.phase).to.equal('Running');
  });

  it('gives up a settle Job that never answers', () => {
    const settle = {
      job: aJob({ metadata: { name: `${NAME}-settle-1`, creationTimestamp: ago(181) } }),
      pods: [],
    };
    const zipJob = withStatus(settlingStatus(anUpload('committing')));
    expect(judge(anObservation({ zipJob, job: aJob(), settle })).status?.reason).to.equal('OutcomeUnknown');
  });

  it('finishes what was finalizing once settled, in one write', () => {
    const status = settlingStatus(undefined, {
      phase: 'Finalizing',
      reason: 'SourceNotFound',
      message: 'file 1: 404',
    });
    const zipJob = withStatus(status, { webhook: { url: 'https://hook.example', events: ['FAILED'] } });
    const decision = judge(anObservation({ zipJob, job: aJob() }));
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
    conditions: [aCondition('Accepted', 'True', 'Accepted'), aCondition('Settled', 'True', 'Settled')],
    ...more,
  });

  it('gives up after a permanent failure and keeps the Job, whose logs are worth reading', () => {
    const status = settled({ class: 'permanent', reason: 'SourceNotFound', message: 'file 2: not found' });
    const decision = judge(anObservation({ zipJob: withStatus(status), job: aJob() }));
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
    expect(judge(anObservation({ zipJob, job: aJob(), pods })).status?.job?.podUid).to.equal('uid-p2');
  });

  it('records a pod that ended before it was ever in charge', () => {
    const pods = [aPod('p2', { metadata: { creationTimestamp: ago(1) }, status: disrupted(143) })];
    const zipJob = withStatus(settled({ class: 'transient' }));
    const decision = judge(anObservation({ zipJob, job: aJob(), pods }));
    expect(decision.status?.attempts?.[1]).to.include({ n: 2, podUid: 'uid-p2', class: 'disruption' });
  });

  it('removes a settled pod by force when its node is gone (F10)', () => {
    const pods = [aPod('p1', { metadata: { deletionTimestamp: ago(61) } })];
    const zipJob = withStatus(settled({ class: 'disruption', reason: 'PodLost' }));
    const decision = judge(anObservation({ zipJob, job: aJob(), pods }));
    expect(decision.actions).to.deep.equal([{ kind: 'forceDeletePod', name: 'p1', uid: 'uid-p1' }]);
  });
});

describe('decide, while a ZipJob is deleted (F14)', () => {
  const deleting = { deletionTimestamp: ago(5) };

  it('revokes, deletes the Job and settles before it lets go', () => {
    const zipJob = withStatus(running('p1', { upload: anUpload('open') }), {}, deleting);
    const decision = judge(anObservation({ zipJob, job: aJob(), pods: [aPod('p1')] }));
    expect(decision.status).to.include({ phase: 'Finalizing', reason: 'Deleted' });
    expect(kinds(decision)).to.deep.equal(['deleteJob']);
  });

  it('removes the finalizer of one that is finished', () => {
    const zipJob = withStatus(finishedAs('Cancelled'), {}, deleting);
    expect(kinds(judge(anObservation({ zipJob })))).to.deep.equal(['removeFinalizer']);
  });

  it('lets go after five minutes whatever happened', () => {
    const zipJob = withStatus(running('p1'), {}, { deletionTimestamp: ago(281) });
    expect(judge(anObservation({ zipJob, job: aJob(), pods: [aPod('p1')] }))).to.deep.equal({
      actions: [{ kind: 'removeFinalizer' }],
      events: [],
    });
  });
});

describe('decide, after the end', () => {
  const webhook = {
    state: 'Pending',
    deliveryId: 'msg_1_COMPLETED',
    attempts: 0,
    nextAttemptAt: ago(10),
  } as const;
  const finished = (more: ZipJobStatus = {}, metadata = {}) =>
    withStatus(
      finishedAs('Succeeded', more),
      { webhook: { url: 'https://hook.example', events: ['COMPLETED'] } },
      {
        finalizers: [],
        ...metadata,
      },
    );

  it('releases the finalizer and delivers a webhook that is due', () => {
    const zipJob = finished({ webhook }, { finalizers: [FINALIZER] });
    expect(kinds(judge(anObservation({ zipJob })))).to.deep.equal(['removeFinalizer', 'deliverWebhook']);
  });

  it('leaves a delivery alone that is under way', () => {
    const decision = judge(anObservation({ zipJob: finished({ webhook }), delivery: { kind: 'inFlight' } }));
    expect(kinds(decision)).to.deep.equal([]);
  });

  it('writes down an answer and never touches phase or result again', () => {
    const zipJob = finished({ webhook });
    const delivery = {
      kind: 'answered',
      answer: { delivery: { at: ago(0), durationMs: 12, status: 204 } },
    } as const;
    const { status, events } = judge(anObservation({ zipJob, delivery }));
    expect(status).to.deep.include({
      phase: 'Succeeded',
      finishedAt: ago(10),
      webhook: {
        state: 'Delivered',
        deliveryId: 'msg_1_COMPLETED',
        attempts: 1,
        lastStatus: 204,
        deliveredAt: ago(0),
        log: [{ at: ago(0), durationMs: 12, status: 204 }],
      },
    });
    expect(findCondition(status?.conditions, 'Notified')?.status).to.equal('True');
    expect(events).to.deep.equal([
      { type: 'Normal', reason: 'WebhookDelivered', message: 'the webhook was delivered (HTTP 204)' },
    ]);
  });

  it('deletes the file list after its time, and the ZipJob after its own, never with a webhook pending (W18)', () => {
    const old = { finishedAt: ago(604_801) };
    expect(kinds(judge(anObservation({ zipJob: finished(old) })))).to.deep.equal([
      'deleteFileList',
      'deleteZipJob',
    ]);
    const pending = finished({ ...old, webhook: { ...webhook, nextAttemptAt: ago(-100) } });
    expect(kinds(judge(anObservation({ zipJob: pending })))).to.deep.equal(['deleteFileList']);
    const recent = judge(anObservation({ zipJob: finished() }));
    expect(recent).to.deep.equal({ actions: [], events: [], requeueAfterMs: 3_590_000 });
  });
});
