import { expect } from 'chai';
import { lacksArchive } from '#controller/cluster/archive-state.ts';
import type { Observation } from '#controller/zip-job/observation.ts';
import { FINALIZER, LABELS } from '#crds/api-group.ts';
import { findCondition } from '#crds/conditions.ts';
import type { ZipJobStatus } from '#crds/zip-job.ts';
import { judge, kinds, withStatus } from '#test/support/builders/judge.ts';
import { ago, aJob, aPod, NAME } from '#test/support/builders/objects.ts';
import { aCondition, anUpload, finishedAs, running } from '#test/support/builders/zip-job-statuses.ts';

describe('decide with a history', () => {
  const config = { historyHost: 'db.example' };
  function judgeIt(seen: Partial<Observation>) {
    return judge(seen, config);
  }
  function deleting(seconds: number) {
    return { deletionTimestamp: ago(seconds) };
  }
  const job = { name: NAME, uid: 'uid-job' };
  function archived(reason: string) {
    return { conditions: [aCondition('Archived', ['True', reason])] };
  }

  it('keeps the finalizer of a finished job until the history has it', () => {
    const waiting = withStatus(finishedAs('Succeeded', { job }));
    expect(kinds(judgeIt({ zipJob: waiting }))).to.deep.equal([]);
    const stored = withStatus(finishedAs('Succeeded', { job, ...archived('Archived') }));
    expect(kinds(judgeIt({ zipJob: stored }))).to.deep.equal(['removeFinalizer']);
  });

  it('gives a job its finalizer before it finishes, so that a deletion waits for the history', () => {
    function cancelled(finalizers: readonly string[]) {
      return withStatus({}, { cancel: true }, { finalizers: [...finalizers] });
    }
    const first = judgeIt({ zipJob: cancelled([]) });
    expect(first).to.deep.equal({ actions: [{ kind: 'addFinalizer' }], events: [] });
    expect(judgeIt({ zipJob: cancelled([FINALIZER]) }).status?.phase).to.equal('Cancelled');
    const without = judge({ zipJob: cancelled([]) });
    expect(without.status?.phase).to.equal('Cancelled');
    expect(kinds(without)).to.deep.equal([]);
  });

  it('gives a job that finished before the history was enabled its finalizer, so that a deletion waits for the history', () => {
    function old(status: ZipJobStatus = {}, metadata = {}) {
      return withStatus(finishedAs('Succeeded', { job, ...status }), {}, { finalizers: [], ...metadata });
    }
    expect(judgeIt({ zipJob: old() }).actions).to.deep.equal([{ kind: 'addFinalizer' }]);
    expect(kinds(judge({ zipJob: old() }))).to.deep.equal([]);
    expect(kinds(judgeIt({ zipJob: old(archived('Archived')) }))).to.deep.equal([]);
    const leaving = old({}, { finalizers: ['example.com/other'], ...deleting(1) });
    expect(kinds(judgeIt({ zipJob: leaving }))).to.deep.equal([]);
  });

  it('adds no finalizer to an unarchived job that a full project drops (G8)', () => {
    const status = finishedAs('Succeeded', { job, finishedAt: ago(8 * 86_400) });
    const seen = { zipJob: withStatus(status, {}, { finalizers: [] }), isSurplus: true };
    const drop = judge(seen, { ...config, historyWhenFull: 'drop' });
    expect(kinds(drop)).to.deep.equal(['deleteFileList', 'removeFinalizer', 'deleteZipJob']);
  });

  it('finishes a copy from a backup first, because the finalizer comes with the record of a new job', () => {
    const labels = { [LABELS.veleroRestore]: 'restore-1' };
    const decision = judgeIt({ zipJob: withStatus({}, {}, { finalizers: [], labels }) });
    expect(decision.status).to.include({ phase: 'Failed', reason: 'Restored' });
    expect(kinds(decision)).to.deep.equal(['addFinalizer']);
  });

  it('adds no finalizer to a job that is being deleted', () => {
    const zipJob = withStatus({}, { cancel: true }, { finalizers: ['example.com/other'], ...deleting(1) });
    expect(kinds(judgeIt({ zipJob }))).to.not.include('addFinalizer');
  });

  it('keeps the finalizer of a finished job that is being deleted, until it is stored or its time is over', () => {
    function at(seconds: number, more: ZipJobStatus = {}) {
      return withStatus(finishedAs('Cancelled', { job, ...more }), {}, deleting(seconds));
    }
    expect(judgeIt({ zipJob: at(279) })).to.deep.equal({ actions: [], events: [], requeueAfterMs: 1000 });
    expect(kinds(judgeIt({ zipJob: at(5, archived('Archived')) }))).to.deep.equal(['removeFinalizer']);
    const late = judgeIt({ zipJob: at(280) });
    expect(late.actions).to.deep.equal([{ kind: 'removeFinalizer', forced: 'Overdue', isUnstored: true }]);
    expect(late.events.map(({ reason }) => reason)).to.deep.equal(['NotArchived']);
  });

  it('ends a job whose recovery takes too long, so that it can be stored before its finalizer is removed', () => {
    const zipJob = withStatus(running('p1', { upload: anUpload('open') }), {}, deleting(220));
    const decision = judgeIt({ zipJob, job: aJob(), pods: [aPod('p1')] });
    expect(decision.status).to.include({ phase: 'Cancelled', reason: 'Deleted' });
    expect(findCondition(decision.status?.conditions, 'Recovered')?.status).to.equal('False');
    const committing = withStatus(running('p1', { upload: anUpload('committing') }), {}, deleting(220));
    const unknown = judgeIt({ zipJob: committing, job: aJob(), pods: [aPod('p1')] });
    expect(unknown.status).to.include({ phase: 'Failed', reason: 'OutcomeUnknown' });
    const earlier = withStatus(running('p1', { upload: anUpload('open') }), {}, deleting(219));
    expect(judgeIt({ zipJob: earlier, job: aJob(), pods: [aPod('p1')] }).status?.phase).to.equal(
      'Finalizing',
    );
  });

  it('records a Job that was created before its status, so that the history stores the deleted job', () => {
    const own = { name: NAME, uid: aJob().metadata.uid };
    const zipJob = withStatus({}, {}, deleting(1));
    const { status: ending = {} } = judgeIt({ zipJob, job: aJob() });
    expect(ending).to.deep.include({ phase: 'Finalizing', reason: 'Deleted', job: own });
    const { status = {} } = judgeIt({ zipJob: { ...zipJob, status: ending } });
    expect(status.phase).to.equal('Cancelled');
    expect(lacksArchive({ status })).to.equal(true);
    const late = judgeIt({ zipJob: withStatus({}, {}, deleting(220)), job: aJob() }).status;
    expect(late).to.deep.include({ phase: 'Cancelled', reason: 'Deleted', job: own });
  });

  it('does not store a job that was deleted before it had a Job', () => {
    const { status = {} } = judgeIt({ zipJob: withStatus({}, {}, deleting(1)) });
    expect(status).to.include({ phase: 'Cancelled', reason: 'Deleted' });
    expect(lacksArchive({ status })).to.equal(false);
  });

  it('ends a job at once whose namespace is being deleted', () => {
    const zipJob = withStatus(running('p1'), {}, deleting(1));
    const seen = { zipJob, job: aJob(), pods: [aPod('p1')], isNamespaceTerminating: true };
    expect(judgeIt(seen).status).to.include({ phase: 'Cancelled', reason: 'Deleted' });
  });

  it('marks an archived job as outdated in the write that changes its status', () => {
    const replay = { annotations: { 'zipjobs.dev/replay-webhook': 'again-1' } };
    const webhook = { state: 'Delivered', deliveryId: 'msg_1_COMPLETED', attempts: 1 } as const;
    const zipJob = withStatus(finishedAs('Succeeded', { job, webhook, ...archived('Archived') }), {}, replay);
    const { status } = judgeIt({ zipJob });
    expect(status?.webhook?.state).to.equal('Pending');
    const condition = findCondition(status?.conditions, 'Archived');
    expect(condition).to.include({ status: 'True', reason: 'ArchiveOutdated' });
  });

  it('keeps an unarchived job beyond its TTL, and drops it only from a full project (G8)', () => {
    const zipJob = withStatus(finishedAs('Succeeded', { job, finishedAt: ago(8 * 86_400) }));
    expect(kinds(judgeIt({ zipJob, isSurplus: true }))).to.deep.equal(['deleteFileList']);
    const drop = judge({ zipJob, isSurplus: true }, { ...config, historyWhenFull: 'drop' });
    expect(drop.actions.slice(1)).to.deep.equal([
      { kind: 'removeFinalizer' },
      { kind: 'deleteZipJob', isUnstored: true },
    ]);
  });

  it('deletes an archived job after an hour, but not before its pods', () => {
    const status = finishedAs('Failed', { job, finishedAt: ago(3_600), ...archived('Archived') });
    const zipJob = withStatus(status, {}, { finalizers: [] });
    expect(kinds(judgeIt({ zipJob }))).to.deep.equal(['deleteFileList', 'deleteZipJob']);
    expect(kinds(judgeIt({ zipJob, ownJobs: [aJob()] }))).to.deep.equal(['deleteFileList']);
  });
});
