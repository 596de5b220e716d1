import { expect } from 'chai';
import type { ZipJobStatus } from '#crds/zip-job.ts';
import { judge, kinds, withStatus } from '#test/support/builders/judge.ts';
import { ago, aJob, aPod, NAME } from '#test/support/builders/objects.ts';
import { disrupted, ended } from '#test/support/builders/pod-statuses.ts';
import { aResult, finishedAs, running } from '#test/support/builders/zip-job-statuses.ts';

/** A job that its active pod finished with a result this many seconds ago. */
function finishedFor(seconds: number, more: ZipJobStatus = {}, metadata = {}) {
  const { job = { name: NAME, uid: 'uid-job' } } = running('p1');
  const status = finishedAs('Succeeded', {
    job,
    result: aResult(),
    attempts: [],
    finishedAt: ago(seconds),
    webhook: { state: 'NotConfigured' },
    ...more,
  });
  return withStatus(
    status,
    { webhook: { url: 'https://hook.example', events: ['COMPLETED'] } },
    {
      finalizers: [],
      ...metadata,
    },
  );
}

describe('decide while the pod of a finished job has not exited', () => {
  it('waits 30 s for the exit, and does not delete the Job (F18, F26)', () => {
    const seen = { zipJob: finishedFor(10), job: aJob(), pods: [aPod('p1')] };
    expect(judge(seen)).to.deep.equal({ actions: [], events: [], requeueAfterMs: 20_000 });
  });

  it('deletes the Job of a pod that does not exit, and waits until the pod is gone (F34)', () => {
    const late = { zipJob: finishedFor(30), job: aJob(), pods: [aPod('p1')] };
    const decision = judge(late);
    expect(decision.actions).to.deep.equal([{ kind: 'deleteJob', name: NAME, uid: 'uid-job' }]);
    expect(decision).to.not.have.property('status');
    const stopping = [aPod('p1', { metadata: { deletionTimestamp: ago(0) } })];
    expect(judge({ zipJob: finishedFor(31), pods: stopping })).to.deep.equal({
      actions: [],
      events: [],
      requeueAfterMs: 60_000,
    });
  });

  it('records the attempt when the exit is reported, and changes nothing else', () => {
    const zipJob = finishedFor(2);
    const { status } = judge({ zipJob, job: aJob(), pods: [aPod('p1', { status: ended({ exitCode: 0 }) })] });
    const { attempts, job, ...rest } = status ?? {};
    expect(attempts).to.have.length(1);
    expect(attempts?.[0]).to.include({ n: 1, podUid: 'uid-p1', class: 'success', exitCode: 0 });
    expect(job).to.deep.equal({ name: NAME, uid: 'uid-job', podName: 'p1', node: 'node-1' });
    const { attempts: _attempts, job: _job, result: _result, ...before } = zipJob.status ?? {};
    expect(rest).to.deep.equal({ ...before, attemptsTotal: 1 });
  });

  for (const { what, pods, reason } of [
    { what: 'was deleted', pods: [], reason: 'PodGone' },
    { what: 'is lost', pods: [aPod('p1', { metadata: { deletionTimestamp: ago(61) } })], reason: 'PodLost' },
  ])
    it(`records the attempt of a pod that ${what}, and deletes its Job (F16)`, () => {
      const decision = judge({ zipJob: finishedFor(2), job: aJob(), pods });
      expect(decision.status?.attempts?.[0]).to.include({ class: 'disruption', reason });
      expect(decision.status?.job).to.not.have.property('podUid');
      expect(kinds(decision)).to.deep.equal(['deleteJob']);
    });

  it('sends the webhook at once', () => {
    const webhook = {
      state: 'Pending',
      deliveryId: 'msg_1_COMPLETED',
      attempts: 0,
      nextAttemptAt: ago(0),
    } as const;
    const zipJob = finishedFor(0, { webhook });
    expect(kinds(judge({ zipJob, job: aJob(), pods: [aPod('p1')] }))).to.deep.equal(['deliverWebhook']);
  });

  it('deletes no expired job before the attempt is recorded (F34)', () => {
    const long = 400 * 86_400;
    const left = finishedFor(long);
    const stopping = [aPod('p1', { metadata: { deletionTimestamp: ago(0) } })];
    expect(kinds(judge({ zipJob: left, pods: stopping }))).to.not.include('deleteZipJob');
    const { podUid: _podUid, ...job } = left.status?.job ?? { name: '', uid: '' };
    expect(kinds(judge({ zipJob: finishedFor(long, { job }) }))).to.include('deleteZipJob');
  });

  it('does not keep a job that is being deleted', () => {
    const zipJob = finishedFor(2, {}, { deletionTimestamp: ago(1), finalizers: ['zipjobs.dev/cleanup'] });
    expect(kinds(judge({ zipJob, job: aJob(), pods: [aPod('p1')] }))).to.deep.equal(['removeFinalizer']);
  });

  it('records the attempt of a job whose deletion waits for a finalizer of another controller, so that its slot is free', () => {
    const zipJob = finishedFor(2, {}, { deletionTimestamp: ago(1), finalizers: ['example.com/audit'] });
    const pods = [aPod('p1', { status: ended({ exitCode: 0 }) })];
    const { status, actions } = judge({ zipJob, job: aJob(), pods });
    expect(status?.attempts?.[0]).to.include({ podUid: 'uid-p1', class: 'success' });
    expect(status?.job).to.not.have.property('podUid');
    expect(actions).to.deep.equal([]);
  });

  it('deletes the Job of a pod that exited with 0 during a disruption, because the Job replaces it', () => {
    const evicted = { ...disrupted(0), phase: 'Failed' };
    const decision = judge({ zipJob: finishedFor(2), job: aJob(), pods: [aPod('p1', { status: evicted })] });
    expect(decision.status?.attempts?.[0]).to.include({ class: 'disruption', exitCode: 0 });
    expect(kinds(decision)).to.deep.equal(['deleteJob']);
  });
});
