import { expect } from 'chai';
import { archiveJob } from '#controller/zip-job/manifest/job-manifest.ts';
import type { Observation } from '#controller/zip-job/observation.ts';
import { GROUP_VERSION } from '#crds/api-group.ts';
import { findCondition } from '#crds/conditions.ts';
import type { ZipJobStatus } from '#crds/zip-job.ts';
import { aConfig } from '#test/support/builders/config.ts';
import { judge, kinds, withStatus } from '#test/support/builders/judge.ts';
import { ago, aJob, aZipBucket, aZipJob, NAME, NOW } from '#test/support/builders/objects.ts';
import { aCondition } from '#test/support/builders/zip-job-statuses.ts';

const JUST_ACCEPTED = aCondition('Accepted', ['True', 'Accepted'], {
  message: 'The request was accepted.',
  lastTransitionTime: ago(0),
});

const refusal = {
  target: 'archive',
  reason: 'QuotaExceeded',
  message: 'no',
  since: NOW,
  count: 1,
  mayExist: false,
  retryAt: new Date(NOW.getTime() + 2000),
} as const;

describe('decide, before there is a Job', () => {
  it('a new ZipJob gets its finalizer and its Job, and a status only then', () => {
    const zipJob = aZipJob();
    expect(judge({ zipJob })).to.deep.equal({
      actions: [
        { kind: 'reserve' },
        { kind: 'addFinalizer' },
        { kind: 'createJob', target: 'archive', job: archiveJob(zipJob, aZipBucket(), aConfig()) },
      ],
      events: [],
    });
  });

  it('reports the acceptance and the Job in one write', () => {
    const decision = judge({ job: aJob() });
    expect(decision.status).to.deep.include({
      acceptedAt: ago(60),
      observedGeneration: 1,
      phase: 'Starting',
      apiStatus: 'none',
      reason: 'JobCreated',
      job: { name: NAME, uid: 'uid-job' },
    });
    expect(decision.status?.conditions?.map(({ type, status }) => [type, status])).to.deep.equal([
      ['Accepted', 'True'],
      ['JobCreated', 'True'],
    ]);
    expect(decision.events.map(({ reason }) => reason)).to.deep.equal(['JobCreated']);
  });

  it('says in the same write that the Job waits for its queue', () => {
    const zipJob = aZipJob({ spec: { queueName: 'night' } });
    const decision = judge({ zipJob, job: aJob() });
    expect(decision.status).to.include({ phase: 'Starting', reason: 'AwaitingQueue' });
    expect(decision.events.map(({ reason }) => reason)).to.deep.equal(['JobCreated']);
    expect(decision.events[0]?.message).to.contain('suspended until queue night admits it');
    const again = judge({ zipJob: aZipJob({ ...zipJob, status: decision.status ?? {} }), job: aJob() });
    expect([again.status, again.events]).to.deep.equal([undefined, []]);
  });

  it('reports why a new ZipJob has no Job if the API server rejected it', () => {
    const decision = judge({ refusal });
    expect(decision.status).to.include({ phase: 'Queued', reason: 'QuotaExceeded' });
    expect(findCondition(decision.status?.conditions, 'Accepted')?.status).to.equal('True');
    expect(decision.events.map(({ reason }) => reason)).to.deep.equal(['Accepted', 'QuotaExceeded']);
    expect(kinds(decision)).to.deep.equal([]);
  });

  const queued: ZipJobStatus = {
    observedGeneration: 1,
    phase: 'Queued',
    apiStatus: 'none',
    reason: 'Queued',
    message: 'The job is queued.',
    acceptedAt: ago(60),
    conditions: [JUST_ACCEPTED],
  };

  it('waits in the queue while no slot is free, and reports the limit once (F22)', () => {
    const message = 'at most 5 jobs of this project run at once';
    const position = { state: 'waiting', blocked: { reason: 'SlotsTaken', message } } as const;
    const decision = judge({ zipJob: withStatus(queued), position });
    expect(decision.status).to.include({ phase: 'Queued', reason: 'SlotsTaken', message });
    expect([decision.actions, decision.requeueAfterMs]).to.deep.equal([[], undefined]);
    const again = judge({ zipJob: withStatus(decision.status ?? {}), position });
    expect(again).to.deep.equal({ actions: [], events: [] });
    const reserved = judge({
      zipJob: withStatus(decision.status ?? {}),
      position: { state: 'reserved' },
    });
    expect([reserved.status, kinds(reserved)]).to.deep.equal([undefined, ['reserve', 'createJob']]);
  });

  it('reports once that the ledger knows of an active job of the same key', () => {
    const blocked = { reason: 'OlderJobFirst', message: 'job x' } as const;
    const position = { state: 'waiting', blocked } as const;
    const first = judge({ zipJob: withStatus(queued), position });
    expect(first.status).to.include(blocked);
    expect(first.events).to.deep.equal([{ type: 'Normal', ...blocked }]);
    expect(judge({ zipJob: withStatus(first.status ?? {}), position })).to.deep.equal({
      actions: [],
      events: [],
    });
  });

  const older = aZipJob({ metadata: { name: 'older', uid: 'uid-older', creationTimestamp: ago(90) } });
  const unable: Readonly<Record<string, Partial<Observation>>> = {
    'is suspended': { zipJob: withStatus(queued, { suspend: true }) },
    'is cancelled': { zipJob: withStatus(queued, { cancel: true }) },
    'is behind an older one of its key': { zipJob: withStatus(queued), conflictingJobs: [older] },
    'is refused by the API server for now (F13)': { zipJob: withStatus(queued), refusal },
    'has no project': { zipJob: withStatus(queued), project: undefined },
    'has no Job after all': { zipJob: withStatus(queued, { suspend: true }), position: { state: 'running' } },
    'was restored from a backup': {
      zipJob: aZipJob({ metadata: { annotations: { 'zipjobs.dev/accepted-at': ago(90_000) } } }),
    },
  };
  for (const [name, seen] of Object.entries(unable))
    it(`gives up the reservation of a job that ${name}, and requests none`, () => {
      const { state } = seen.position ?? { state: 'reserved' };
      expect(judge({ position: { state }, ...seen }).actions).to.deep.equal([{ kind: 'release', state }]);
      expect(kinds(judge({ ...seen, position: { state: 'none' } }))).to.deep.equal([]);
    });

  it('keeps the reservation of a job whose Job may exist although no response came', () => {
    const seen = { zipJob: withStatus(queued), position: { state: 'running' } } as const;
    expect(kinds(judge({ ...seen, refusal: { ...refusal, mayExist: true } }))).to.deep.equal([]);
    const later = { ...refusal, mayExist: true, retryAt: NOW };
    expect(kinds(judge({ ...seen, refusal: later }))).to.deep.equal(['reserve', 'createJob']);
  });

  const goingBucket = {
    ...aZipBucket(),
    metadata: { ...aZipBucket().metadata, deletionTimestamp: ago(5) },
  };

  it('starts a job that was accepted before the deletion of its bucket, which waits for it (F15)', () => {
    expect(kinds(judge({ zipJob: withStatus(queued), bucket: goingBucket }))).to.deep.equal([
      'reserve',
      'createJob',
    ]);
  });

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
      name: 'a bucket that is being deleted (F15)',
      given: { bucket: goingBucket },
      want: { phase: 'Failed', reason: 'BucketTerminating' },
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
      name: 'a job from a backup that has its old status',
      given: {
        zipJob: withStatus(queued, {}, { annotations: { 'zipjobs.dev/accepted-at': ago(90_000) } }),
      },
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
      const decision = judge(given);
      expect(decision.status).to.include({ ...want, apiStatus: 'failed', finishedAt: ago(0) });
      expect(findCondition(decision.status?.conditions, 'Complete')?.status).to.equal('False');
      expect(findCondition(decision.status?.conditions, 'Recovered')?.reason).to.equal('NothingToRecover');
      expect(kinds(decision)).to.deep.equal([]);
    });

  it('waits without a project, and fails by the start deadline with what it waited for (F13)', () => {
    const waiting = judge({ project: undefined });
    expect(waiting.status).to.include({ phase: 'Queued', reason: 'ProjectNotFound' });
    const late = aCondition('Waiting', ['True', 'ProjectNotFound'], { lastTransitionTime: ago(601) });
    const zipJob = withStatus({ ...queued, conditions: [late] });
    expect(judge({ zipJob, project: undefined }).status).to.include({
      phase: 'Failed',
      reason: 'StartDeadlineExceeded',
    });
  });

  it('waits for its project also when it was accepted before, says so, and starts when there is one', () => {
    const waiting = judge({ zipJob: withStatus(queued), project: undefined });
    const message = 'namespace team-a has no ZipProject named project';
    expect(waiting.status).to.include({ phase: 'Queued', reason: 'ProjectNotFound', message });
    expect(findCondition(waiting.status?.conditions, 'Waiting')).to.include({ status: 'True', message });
    expect([kinds(waiting), waiting.requeueAfterMs]).to.deep.equal([[], undefined]);
    const still = judge({ zipJob: withStatus(waiting.status ?? {}), project: undefined });
    expect(still).to.deep.equal({ actions: [], events: [], requeueAfterMs: 600_000 });
    const back = judge({ zipJob: withStatus(waiting.status ?? {}) });
    expect(back.status).to.include({ phase: 'Queued', reason: 'Queued' });
    expect(findCondition(back.status?.conditions, 'Waiting')?.status).to.equal('False');
    expect(kinds(back)).to.deep.equal(['reserve', 'createJob']);
  });

  it('waits for the Job of an earlier ZipJob of its name to be removed', () => {
    const owner = { apiVersion: GROUP_VERSION, kind: 'ZipJob', name: NAME, uid: 'uid-of-the-earlier' };
    const job = aJob({ metadata: { ownerReferences: [owner] } });
    const waiting = judge({ zipJob: withStatus(queued), job });
    expect(waiting.status).to.include({ phase: 'Queued', reason: 'NameConflict' });
    expect(findCondition(waiting.status?.conditions, 'Waiting')?.message).to.contain(
      'is still being deleted',
    );
    expect([kinds(waiting), waiting.requeueAfterMs]).to.deep.equal([[], 2000]);
    expect(kinds(judge({ zipJob: withStatus(waiting.status ?? {}) }))).to.deep.equal([
      'reserve',
      'createJob',
    ]);
  });

  it('starts a job that was queued for more than a day', () => {
    const long = { annotations: { 'zipjobs.dev/accepted-at': ago(90_000) }, creationTimestamp: ago(90_000) };
    expect(kinds(judge({ zipJob: withStatus(queued, {}, long) }))).to.deep.equal(['reserve', 'createJob']);
  });

  it('holds a suspended job in the queue', () => {
    const decision = judge({ zipJob: aZipJob({ spec: { suspend: true } }) });
    expect(decision.status).to.include({ phase: 'Queued', reason: 'Suspended' });
    expect(findCondition(decision.status?.conditions, 'Suspended')?.status).to.equal('True');
    expect(kinds(decision)).to.deep.equal([]);
  });

  it('lets the older job of the same key go first', () => {
    const older = aZipJob({ metadata: { name: 'older', creationTimestamp: ago(100) } });
    const decision = judge({ conflictingJobs: [older] });
    expect(decision.status).to.include({ phase: 'Queued', reason: 'OlderJobFirst' });
    expect(kinds(decision)).to.deep.equal([]);
  });

  it('does not create again before the time that the API server asked for (F6)', () => {
    const decision = judge({ zipJob: withStatus(queued), refusal });
    expect(decision.status).to.include({ phase: 'Queued', reason: 'QuotaExceeded' });
    expect(findCondition(decision.status?.conditions, 'Waiting')?.status).to.equal('True');
    expect(kinds(decision)).to.deep.equal([]);
    expect(decision.requeueAfterMs).to.equal(2000);
    expect(kinds(judge({ refusal: { ...refusal, retryAt: NOW } }))).to.deep.equal(['reserve', 'createJob']);
  });

  it('finds a Job that was created before the status could record it (F2)', () => {
    const decision = judge({ zipJob: withStatus(queued), job: aJob() });
    expect(decision.status).to.deep.include({
      phase: 'Starting',
      apiStatus: 'none',
      job: { name: NAME, uid: 'uid-job' },
    });
    expect(kinds(decision)).to.deep.equal([]);
  });
});
