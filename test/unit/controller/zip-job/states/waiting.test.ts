import { expect } from 'chai';
import { findCondition } from '#crds/conditions.ts';
import { judge, withStatus } from '#test/support/builders/judge.ts';
import { ago, aJob, aPod } from '#test/support/builders/objects.ts';
import { waitingFor } from '#test/support/builders/pod-statuses.ts';
import { anUpload, progressOf, running, starting } from '#test/support/builders/zip-job-statuses.ts';

describe('decide for a stuck job', () => {
  it('reports why the pod does not start, as reason, message, condition and one Event (F13)', () => {
    const pods = [aPod('p1', { status: waitingFor('ImagePullBackOff', 'no such image') })];
    const first = judge({ zipJob: withStatus(starting('p1')), job: aJob(), pods });
    expect(first.status).to.include({ phase: 'Starting', reason: 'ImagePull' });
    expect(first.status?.message).to.contain('ImagePullBackOff: no such image');
    expect(findCondition(first.status?.conditions, 'Waiting')).to.include({
      status: 'True',
      reason: 'ImagePull',
    });
    expect(first.events.map(({ reason }) => reason)).to.deep.equal(['ImagePull']);
    const again = judge({ zipJob: withStatus(first.status ?? {}), job: aJob(), pods });
    expect(again).to.deep.include({ events: [] }).and.not.to.have.property('status');
  });

  it('clears a reason that is over', () => {
    const held = [aPod('p1', { status: waitingFor('ImagePullBackOff', 'no such image') })];
    const { status } = judge({ zipJob: withStatus(starting('p1')), job: aJob(), pods: held });
    const free = judge({ zipJob: withStatus(status ?? {}), job: aJob(), pods: [aPod('p1')] });
    expect(free.status).to.include({ phase: 'Starting', reason: 'PodStarting' });
    expect(findCondition(free.status?.conditions, 'Waiting')).to.include({ status: 'False' });
  });

  it('reports why the Job has no pod, with the message of the API server (F13)', () => {
    const podRefusal = { reason: 'QuotaExceeded', message: 'exceeded quota: pods, used: pods=1' } as const;
    const seen = { zipJob: withStatus(starting()), job: aJob(), pods: [], podRefusal };
    expect(judge(seen).status).to.include({ phase: 'Starting', ...podRefusal });
    const zipJob = withStatus(starting());
    const late = { ...seen, zipJob: { ...zipJob, spec: { ...zipJob.spec, startDeadlineSeconds: 5 } } };
    expect(judge(late).status?.message).to.contain('QuotaExceeded: exceeded quota: pods');
  });

  it('reports missing progress once, until there is progress (F13)', () => {
    const quiet = progressOf('uid-p1');
    const seenProgress = { since: new Date(ago(301)), isNew: true };
    const seen = { job: aJob(), pods: [aPod('p1')], seenProgress };
    const first = judge({ ...seen, zipJob: withStatus(running('p1', { progress: quiet })) });
    expect(first.status).to.include({ phase: 'Running', reason: 'NoProgress' });
    expect(first.status?.message).to.contain('p1').and.to.contain('300 s');
    expect(first.events.map(({ reason }) => reason)).to.deep.equal(['NoProgress']);
    const still = judge({ ...seen, zipJob: withStatus({ ...first.status, progress: quiet }) });
    expect(still.events).to.deep.equal([]);
    const moved = { ...seen, seenProgress: { since: new Date(ago(1)), isNew: true } };
    const zipJob = withStatus({ ...first.status, progress: quiet });
    expect(judge({ ...moved, zipJob }).status).to.include({ phase: 'Running', reason: 'Running' });
  });

  function lateFor(seconds: number, quiet = 0) {
    return {
      job: aJob(),
      pods: [aPod('p1')],
      seenProgress: { since: new Date(ago(quiet)), isNew: true, lateSince: new Date(ago(quiet + seconds)) },
    };
  }

  it('ends a job whose every estimate was far beyond its deadline for ten minutes, and says why (F40)', () => {
    const progress = { ...progressOf('uid-p1'), estimatedEndAt: ago(-36_000) };
    const zipJob = withStatus(running('p1', { progress }));
    for (const [seconds, quiet] of [
      [599, 0],
      [1, 3600],
    ] as const)
      expect(judge({ ...lateFor(seconds, quiet), zipJob }).status?.phase ?? 'Running').to.equal('Running');
    const late = judge({ ...lateFor(600), zipJob });
    expect(late.status).to.include({ phase: 'Finalizing', reason: 'DeadlineExceeded' });
    expect(late.status?.message).to.contain('too slow').and.to.contain(ago(-36_000));
  });

  it('does not end it while it completes its upload, when everything is read (F40)', () => {
    const status = running('p1', { progress: progressOf('uid-p1'), upload: anUpload('committing') });
    const { status: next } = judge({ ...lateFor(3600), zipJob: withStatus(status) });
    expect(next?.phase ?? 'Running').to.equal('Running');
  });

  it('does not report missing progress because the clock of the zipper is behind (F18, F26)', () => {
    const zipJob = withStatus(running('p1', { progress: { ...progressOf('uid-p1'), updatedAt: ago(3600) } }));
    const seenProgress = { since: new Date(ago(10)), isNew: true };
    const decision = judge({ zipJob, job: aJob(), pods: [aPod('p1')], seenProgress });
    expect(decision.status?.reason ?? 'Running').to.equal('Running');
    expect(decision.events).to.deep.equal([]);
    expect(decision.requeueAfterMs).to.equal(290_000);
  });

  it('keeps the report of missing progress when the controller restarts (F13)', () => {
    const status = running('p1', { reason: 'NoProgress', progress: progressOf('uid-p1') });
    const seen = { zipJob: withStatus(status), job: aJob(), pods: [aPod('p1')] };
    const found = judge({ ...seen, seenProgress: { since: new Date(ago(0)), isNew: false } });
    expect(found.status?.reason ?? status.reason).to.equal('NoProgress');
    expect(found.events).to.deep.equal([]);
    const moved = judge({ ...seen, seenProgress: { since: new Date(ago(0)), isNew: true } });
    expect(moved.status?.reason).to.equal('Running');
  });

  it('requeues the job at the deadline of its Job (F17)', () => {
    const zipJob = withStatus(running('p1', { progress: progressOf('uid-p1') }), {
      activeDeadlineSeconds: 100,
    });
    const job = aJob({ metadata: { creationTimestamp: ago(114) }, status: { startTime: ago(9) } });
    expect(judge({ zipJob, job, pods: [aPod('p1')] }).requeueAfterMs).to.equal(1000);
  });

  it('reports a silent node once, until its pod counts as lost (F10)', () => {
    const zipJob = withStatus(running('p1', { progress: progressOf('uid-p1') }));
    function goneFor(seconds: number) {
      return [aPod('p1', { metadata: { deletionTimestamp: ago(seconds) } })];
    }
    const forced = judge({ zipJob, job: aJob(), pods: goneFor(4) });
    expect(forced.events).to.deep.equal([]);
    expect(forced.requeueAfterMs).to.equal(1000);
    const first = judge({ zipJob, job: aJob(), pods: goneFor(5) });
    expect(first.status).to.include({ phase: 'Running', reason: 'NodeSilent' });
    expect(first.status?.job?.podUid).to.equal('uid-p1');
    expect(findCondition(first.status?.conditions, 'Waiting')).to.include({
      status: 'True',
      reason: 'NodeSilent',
    });
    expect(first.events.map(({ reason }) => reason)).to.deep.equal(['NodeSilent']);
    expect(first.requeueAfterMs).to.equal(55_000);
    const reported = withStatus({ ...first.status, progress: progressOf('uid-p1') });
    expect(judge({ zipJob: reported, job: aJob(), pods: goneFor(59) })).to.deep.include({ events: [] });
    const lost = judge({ zipJob: reported, job: aJob(), pods: goneFor(60) });
    expect(lost.status?.job).not.to.have.property('podUid');
    expect(lost.status?.attempts?.[0]).to.include({ class: 'disruption', reason: 'PodLost' });
    expect(findCondition(lost.status?.conditions, 'Waiting')).to.include({ status: 'False' });
    expect(findCondition(lost.status?.conditions, 'Recovered')).to.include({ reason: 'Recovering' });
  });

  it('reports that the job is no longer suspended', () => {
    const { status } = judge({
      zipJob: { ...withStatus({}), spec: { ...withStatus({}).spec, suspend: true } },
    });
    const unsuspended = judge({ zipJob: withStatus(status ?? {}) });
    expect(unsuspended.events.map(({ reason }) => reason)).to.include('Unsuspended');
    const condition = findCondition(unsuspended.status?.conditions, 'Suspended');
    expect(condition).to.include({ status: 'False', reason: 'Unsuspended' });
  });
});
