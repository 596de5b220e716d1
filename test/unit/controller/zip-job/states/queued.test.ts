import { expect } from 'chai';
import { olderJobFirst } from '#controller/queue/blocked.ts';
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

describe('decide before the Job exists', () => {
  it('adds the finalizer and creates the Job of a new ZipJob before it writes a status', () => {
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

  it('records the acceptance and the Job in one write', () => {
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

  it('reports in the same write that the Job waits for its queue', () => {
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
    const blocked = {
      reason: 'SlotsTaken',
      message: 'at most 9 jobs can run at the same time in total',
    } as const;
    const other = judge({ zipJob: withStatus(decision.status ?? {}), position: { ...position, blocked } });
    expect(other, 'another limit (G4)').to.deep.equal({ actions: [], events: [] });
    const reserved = judge({
      zipJob: withStatus(decision.status ?? {}),
      position: { state: 'reserved' },
    });
    expect([reserved.status, kinds(reserved)]).to.deep.equal([undefined, ['reserve', 'createJob']]);
  });

  it('reports an active job of the same key once', () => {
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

  const unable: Readonly<Record<string, Partial<Observation>>> = {
    'is suspended': { zipJob: withStatus(queued, { suspend: true }) },
    'is cancelled': { zipJob: withStatus(queued, { cancel: true }) },
    'the API server rejects for now (F13)': { zipJob: withStatus(queued), refusal },
    'has no project': { zipJob: withStatus(queued), project: undefined },
    'turns out to have no Job': {
      zipJob: withStatus(queued, { suspend: true }),
      position: { state: 'running' },
    },
    'was restored from a backup': {
      zipJob: aZipJob({ metadata: { annotations: { 'zipjobs.dev/accepted-at': ago(90_000) } } }),
    },
  };
  for (const [name, seen] of Object.entries(unable))
    it(`releases the reservation of a job that ${name}, and requests none`, () => {
      const { state } = seen.position ?? { state: 'reserved' };
      expect(judge({ position: { state }, ...seen }).actions).to.deep.equal([{ kind: 'release', state }]);
      expect(kinds(judge({ ...seen, position: { state: 'none' } }))).to.deep.equal([]);
    });

  it('keeps the reservation of a job whose Job may exist because no response arrived', () => {
    const seen = { zipJob: withStatus(queued), position: { state: 'running' } } as const;
    expect(kinds(judge({ ...seen, refusal: { ...refusal, mayExist: true } }))).to.deep.equal([]);
    const later = { ...refusal, mayExist: true, retryAt: NOW };
    expect(kinds(judge({ ...seen, refusal: later }))).to.deep.equal(['reserve', 'createJob']);
  });

  const goingBucket = {
    ...aZipBucket(),
    metadata: { ...aZipBucket().metadata, deletionTimestamp: ago(5) },
  };

  it('starts a job that was accepted before its bucket was deleted (F15)', () => {
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
      name: 'a job whose bucket does not exist',
      given: { bucket: undefined },
      want: { phase: 'Failed', reason: 'BucketNotFound' },
    },
    {
      name: 'a job whose bucket is being deleted (F15)',
      given: { bucket: goingBucket },
      want: { phase: 'Failed', reason: 'BucketTerminating' },
    },
    {
      name: 'a job with a source bucket that does not exist (SB5)',
      given: { zipJob: aZipJob({ spec: { sourceBuckets: ['s3-files'] } }), sourceBuckets: [] },
      want: { phase: 'Failed', reason: 'SourceBucketNotFound' },
    },
    {
      name: 'an accepted job whose source bucket is no longer readable (SB5)',
      given: {
        zipJob: withStatus(queued, { sourceBuckets: ['s3-archive'] }),
        sourceBuckets: [aZipBucket({ readable: false })],
      },
      want: { phase: 'Failed', reason: 'SourceBucketNotReadable' },
    },
    {
      name: 'a job whose metadata is an array',
      given: { zipJob: aZipJob({ spec: { metadata: '[1]' } }) },
      want: { phase: 'Failed', reason: 'InvalidMetadata' },
    },
    {
      name: 'a job that names a foreign Secret as file list',
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
      name: 'a job restored from a backup',
      given: { zipJob: aZipJob({ metadata: { annotations: { 'zipjobs.dev/accepted-at': ago(90_000) } } }) },
      want: { phase: 'Failed', reason: 'Restored' },
    },
    {
      name: 'a job restored with its old status',
      given: {
        zipJob: withStatus(queued, {}, { annotations: { 'zipjobs.dev/accepted-at': ago(90_000) } }),
      },
      want: { phase: 'Failed', reason: 'Restored' },
    },
    {
      name: 'a job whose name is used by a foreign Job',
      given: { job: aJob({ metadata: { ownerReferences: [] } }) },
      want: { phase: 'Failed', reason: 'NameConflict' },
    },
    {
      name: 'a job cancelled in the queue',
      given: { zipJob: withStatus(queued, { cancel: true }) },
      want: { phase: 'Cancelled', reason: 'Cancelled' },
    },
  ];
  for (const { name, given, want } of refused)
    it(`finishes ${name} at once: ${want.phase}, ${want.reason}`, () => {
      const decision = judge(given);
      expect(decision.status).to.include({ ...want, apiStatus: 'failed', finishedAt: ago(0) });
      expect(findCondition(decision.status?.conditions, 'Complete')?.status).to.equal('False');
      expect(findCondition(decision.status?.conditions, 'Recovered')?.reason).to.equal('NothingToRecover');
      expect(kinds(decision)).to.deep.equal([]);
    });

  it('waits for its project, and fails at the start deadline with the reason (F13)', () => {
    const waiting = judge({ project: undefined });
    expect(waiting.status).to.include({ phase: 'Queued', reason: 'ProjectNotFound' });
    const late = aCondition('Waiting', ['True', 'ProjectNotFound'], { lastTransitionTime: ago(601) });
    const zipJob = withStatus({ ...queued, conditions: [late] });
    expect(judge({ zipJob, project: undefined }).status).to.include({
      phase: 'Failed',
      reason: 'StartDeadlineExceeded',
    });
  });

  it('waits for its project even if it was accepted before, and starts when the project exists', () => {
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

  it('waits until the Job of an earlier ZipJob of the same name is removed', () => {
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

  it('starts a job that has been queued for more than a day', () => {
    const long = { annotations: { 'zipjobs.dev/accepted-at': ago(90_000) }, creationTimestamp: ago(90_000) };
    expect(kinds(judge({ zipJob: withStatus(queued, {}, long) }))).to.deep.equal(['reserve', 'createJob']);
  });

  it('holds a suspended job in the queue', () => {
    const decision = judge({ zipJob: aZipJob({ spec: { suspend: true } }) });
    expect(decision.status).to.include({ phase: 'Queued', reason: 'Suspended' });
    expect(findCondition(decision.status?.conditions, 'Suspended')?.status).to.equal('True');
    expect(kinds(decision)).to.deep.equal([]);
  });

  it('waits for an older job of the same key', () => {
    const position = { state: 'none', blocked: olderJobFirst('a/older') } as const;
    const decision = judge({ position });
    expect(decision.status).to.include({ phase: 'Queued', reason: 'OlderJobFirst' });
    expect(kinds(decision)).to.deep.equal([]);
  });

  it('does not retry before the time that the API server asked for (F6)', () => {
    const decision = judge({ zipJob: withStatus(queued), refusal });
    expect(decision.status).to.include({ phase: 'Queued', reason: 'QuotaExceeded' });
    expect(findCondition(decision.status?.conditions, 'Waiting')?.status).to.equal('True');
    expect(kinds(decision)).to.deep.equal([]);
    expect(decision.requeueAfterMs).to.equal(2000);
    expect(kinds(judge({ refusal: { ...refusal, retryAt: NOW } }))).to.deep.equal(['reserve', 'createJob']);
  });

  it('adopts a Job that was created before the status recorded it (F2)', () => {
    const decision = judge({ zipJob: withStatus(queued), job: aJob() });
    expect(decision.status).to.deep.include({
      phase: 'Starting',
      apiStatus: 'none',
      job: { name: NAME, uid: 'uid-job' },
    });
    expect(kinds(decision)).to.deep.equal([]);
  });
});
