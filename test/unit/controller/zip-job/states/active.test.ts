import { expect } from 'chai';
import { decide } from '#controller/zip-job/decide.ts';
import { ANNOTATIONS } from '#crds/api-group.ts';
import { findCondition } from '#crds/conditions.ts';
import { aConfig } from '#test/support/builders/config.ts';
import { judge, kinds, withStatus } from '#test/support/builders/judge.ts';
import { ago, aJob, aPod, aZipBucket, aZipJob, NAME, NOW } from '#test/support/builders/objects.ts';
import { anObservation } from '#test/support/builders/observation.ts';
import { ended, failureMessage, waitingFor } from '#test/support/builders/pod-statuses.ts';
import { anUpload, aResult, progressOf, running, starting } from '#test/support/builders/zip-job-statuses.ts';

describe('decide while the Job exists', () => {
  it('activates the pod and counts the attempt', () => {
    const decision = judge({ zipJob: withStatus(starting()), job: aJob(), pods: [aPod('p1')] });
    expect(decision.status?.job).to.deep.equal({
      name: NAME,
      uid: 'uid-job',
      podName: 'p1',
      podUid: 'uid-p1',
      node: 'node-1',
    });
    expect(decision.status?.attemptsTotal).to.equal(1);
    expect(findCondition(decision.status?.conditions, 'Recovered')).to.include({
      status: 'False',
      reason: 'PodActive',
    });
  });

  it('does not activate a second pod before the first is recovered', () => {
    const zipJob = withStatus(running('p1'));
    const pods = [aPod('p1'), aPod('p2', { metadata: { creationTimestamp: ago(1) } })];
    expect(judge({ zipJob, job: aJob(), pods })).to.not.have.property('status');
  });

  it('changes the phase to Running at the first progress of the active pod', () => {
    const zipJob = withStatus({ ...starting('p1'), progress: progressOf('uid-p1') });
    const decision = judge({ zipJob, job: aJob(), pods: [aPod('p1')] });
    expect(decision.status).to.include({ phase: 'Running', apiStatus: 'processing', startedAt: ago(5) });
  });

  for (const [hours, startedAt] of [
    [1, ago(0)],
    [-1, ago(40)],
  ] as const)
    it(`limits startedAt to the lifetime of the pod if the clocks of its node are ${hours} h off (F18, F26)`, () => {
      const updatedAt = ago(-hours * 3600);
      const status = { ...starting('p1'), progress: { ...progressOf('uid-p1'), updatedAt } };
      const pods = [aPod('p1', { status: { phase: 'Running', startTime: updatedAt } })];
      const decision = judge({ zipJob: withStatus(status), job: aJob(), pods });
      expect(decision.status).to.include({ phase: 'Running', startedAt });
    });

  it('decides nothing when nothing changed', () => {
    const seen = anObservation({ zipJob: withStatus(running('p1')), job: aJob(), pods: [aPod('p1')] });
    const { status, actions, events } = judge(seen);
    expect({ status, actions, events }).to.deep.equal({ status: undefined, actions: [], events: [] });
  });

  it('deactivates a failed pod, records its failure, and starts recovery', () => {
    const message = failureMessage('SourceTruncated', { fileIndex: 3, message: 'the source ended early' });
    const zipJob = withStatus(running('p1', { upload: anUpload('open') }));
    const pods = [aPod('p1', { status: ended({ exitCode: 31, message }) })];
    const decision = judge({ zipJob, job: aJob(), pods });
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
    expect(findCondition(decision.status?.conditions, 'Recovered')?.reason).to.equal('Recovering');
    expect(decision.status?.phase).to.equal('Running');
    expect(kinds(decision)).to.deep.equal([]);
  });

  it('deactivates a pod that is gone (F16)', () => {
    const decision = judge({ zipJob: withStatus(running('p1')), job: aJob(), pods: [] });
    expect(decision.status?.attempts?.[0]).to.include({ class: 'disruption', reason: 'PodGone' });
  });

  it('succeeds with the result of the active pod before the pod exits, without recovery (F34)', () => {
    const zipJob = withStatus(running('p1', { result: aResult(), upload: anUpload('committing') }));
    const decision = judge({ zipJob, job: aJob(), pods: [aPod('p1')] });
    expect(decision.status).to.include({ phase: 'Succeeded', reason: 'Uploaded' });
    expect(decision.status?.job).to.include({ podUid: 'uid-p1' });
    expect(decision.status).to.not.have.property('attempts');
    expect(findCondition(decision.status?.conditions, 'Recovered')?.status).to.equal('True');
    expect(kinds(decision)).to.deep.equal([]);
  });

  it('fails with an invalid result of the active pod before the pod exits', () => {
    const zipJob = withStatus(running('p1', { result: aResult({ entries: 1 }) }));
    const { status } = judge({ zipJob, job: aJob(), pods: [aPod('p1')] });
    expect(status).to.include({ phase: 'Failed', reason: 'ResultInvalid' });
  });

  it('records the attempt in the same write if its pod has already exited', () => {
    const zipJob = withStatus(running('p1', { result: aResult(), upload: anUpload('committing') }));
    const pods = [aPod('p1', { status: ended({ exitCode: 0 }) })];
    const decision = judge({ zipJob, job: aJob(), pods });
    expect(decision.status).to.include({ phase: 'Succeeded', reason: 'Uploaded', attemptsTotal: 1 });
    expect(decision.status?.attempts?.[0]).to.include({ class: 'success', exitCode: 0 });
    expect(decision.status?.job).to.not.have.property('podUid');
  });

  it('keeps the result of a job that is cancelled at the same time', () => {
    const zipJob = withStatus(running('p1', { result: aResult() }), { cancel: true });
    const pods = [aPod('p1', { status: ended({ exitCode: 0 }) })];
    expect(judge({ zipJob, job: aJob(), pods }).status).to.include({ reason: 'Uploaded' });
  });

  it('ignores the result of an earlier pod', () => {
    const zipJob = withStatus({ ...starting('p2'), progress: progressOf('uid-p1'), result: aResult() });
    const decision = judge({ zipJob, job: aJob(), pods: [aPod('p2')] });
    expect(decision).to.not.have.property('status');
  });

  it('deactivates the pod and deletes the Job of a cancelled job', () => {
    const zipJob = withStatus(running('p1', { upload: anUpload('open') }), { cancel: true });
    const decision = judge({ zipJob, job: aJob(), pods: [aPod('p1')] });
    expect(decision.status).to.include({ phase: 'Finalizing', reason: 'Cancelled', apiStatus: 'processing' });
    expect(decision.status?.job).to.not.have.property('podUid');
    expect(decision.actions).to.deep.equal([{ kind: 'deleteJob', name: NAME, uid: 'uid-job' }]);
  });

  it('ends a job whose Job was deleted (F16)', () => {
    const decision = judge({ zipJob: withStatus(running('p1', { upload: anUpload('open') })) });
    expect(decision.status).to.include({ phase: 'Finalizing', reason: 'JobDeleted' });
  });

  for (const skew of [-3600, 0, 3600])
    it(`ends a job by its own deadline if the pod does not stop and the Job controller's clock is ${skew} s off (F17, F26)`, () => {
      function jobOf(seconds: number) {
        return aJob({
          metadata: { creationTimestamp: ago(seconds) },
          status: { startTime: ago(seconds - skew) },
        });
      }
      const seen = { zipJob: withStatus(running('p1')), pods: [aPod('p1')] };
      const late = judge({ ...seen, job: jobOf(7216) });
      expect(late.status).to.include({ phase: 'Finalizing', reason: 'DeadlineExceeded' });
      expect(judge({ ...seen, job: jobOf(7214) })).to.not.have.property('status');
    });

  it('ends a job whose bucket does not exist any more (F15)', () => {
    const seen = { zipJob: withStatus(running('p1')), job: aJob(), pods: [aPod('p1')], bucket: undefined };
    expect(judge(seen).status).to.include({ phase: 'Finalizing', reason: 'BucketDeleted' });
  });

  it('ends the job if the deletion of its bucket is forced, but not while the bucket waits for the job (F15)', () => {
    const bucket = aZipBucket();
    const metadata = { ...bucket.metadata, deletionTimestamp: ago(5) };
    const zipJob = withStatus(running('p1'));
    const seen = { zipJob, job: aJob(), pods: [aPod('p1')] };
    expect(judge({ ...seen, bucket: { ...bucket, metadata } })).to.not.have.property('status');
    const annotations = { [ANNOTATIONS.forceDelete]: 'true' };
    const forced = judge({ ...seen, bucket: { ...bucket, metadata: { ...metadata, annotations } } });
    expect(forced.status).to.include({ phase: 'Finalizing', reason: 'BucketDeleted' });
  });

  it('ends a job one of whose source buckets does not exist any more, but not one that is no longer readable (SB7)', () => {
    const zipJob = withStatus(running('p1'), { sourceBuckets: ['s3-archive'] });
    const seen = { zipJob, job: aJob(), pods: [aPod('p1')] };
    expect(judge({ ...seen, sourceBuckets: [] }).status).to.include({
      phase: 'Finalizing',
      reason: 'SourceBucketDeleted',
    });
    const sourceBuckets = [aZipBucket({ readable: false })];
    expect(judge({ ...seen, sourceBuckets })).to.not.have.property('status');
  });

  it('does not let a waiting job read a bucket that is no longer readable, whatever it waits for (SB5)', () => {
    const zipJob = withStatus(starting(), { sourceBuckets: ['s3-archive'] });
    const sourceBuckets = [aZipBucket({ readable: false })];
    for (const pods of [[], [aPod('p1')]])
      expect(judge({ zipJob, job: aJob(), pods, sourceBuckets }).status).to.include({
        phase: 'Finalizing',
        reason: 'SourceBucketNotReadable',
      });
    const readable = [aZipBucket({ readable: true })];
    expect(
      judge({ zipJob, job: aJob(), pods: [aPod('p1')], sourceBuckets: readable }).status?.phase,
    ).to.not.equal('Finalizing');
  });

  it('fails at the start deadline and reports what the pod waits for (F13)', () => {
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
    const soon = judge({ zipJob, job: aJob(), pods });
    expect(findCondition(soon.status?.conditions, 'Waiting')).to.include({
      status: 'True',
      reason: 'Unschedulable',
      message: '0/1 nodes',
    });
    const late = judge({ zipJob, job: aJob({ metadata: { creationTimestamp: ago(601) } }), pods });
    expect(late.status).to.include({ phase: 'Finalizing', reason: 'StartDeadlineExceeded' });
    expect(late.status?.message).to.contain('Unschedulable: 0/1 nodes');
    expect(kinds(late)).to.deep.equal(['deleteJob']);
  });

  it('waits without a deadline for a trusted queue to admit the Job, and reports it', () => {
    const zipJob = withStatus(starting(), { queueName: 'night', startDeadlineSeconds: 1 });
    const trusting = aConfig({ trustedQueues: ['night'] });
    const waiting = decide(anObservation({ zipJob, job: aJob() }), NOW, trusting);
    expect(findCondition(waiting.status?.conditions, 'Waiting')).to.include({
      status: 'True',
      reason: 'AwaitingQueue',
      message: `Job ${NAME} is suspended until queue night admits it`,
    });
    expect(waiting.events.map(({ type, reason }) => [type, reason])).to.deep.equal([
      ['Normal', 'AwaitingQueue'],
    ]);
    const admitted = aZipJob({ ...zipJob, status: { ...zipJob.status, ...waiting.status } });
    const job = aJob({ status: { startTime: ago(2) } });
    const late = decide(anObservation({ zipJob: admitted, job }), NOW, trusting);
    expect(late.status).to.include({ phase: 'Finalizing', reason: 'StartDeadlineExceeded' });
  });

  it('applies the start deadline to a queue that is not trusted', () => {
    const zipJob = withStatus(starting(), { queueName: 'mine', startDeadlineSeconds: 1 });
    expect(judge({ zipJob, job: aJob() }).status).to.include({ reason: 'StartDeadlineExceeded' });
  });

  it('names the mounted Secrets as a possible cause if no container was created by the start deadline', () => {
    const scheduled = { type: 'PodScheduled', status: 'True', lastTransitionTime: ago(6) };
    const pod = {
      ...aPod('p1', { status: { ...waitingFor('ContainerCreating', ''), conditions: [scheduled] } }),
      spec: { containers: [], volumes: [{ name: 'bucket', secret: { secretName: 'zipbucket-s3-archive' } }] },
    };
    const zipJob = withStatus(starting('p1'), { startDeadlineSeconds: 5 });
    const decision = judge({ zipJob, job: aJob(), pods: [pod] });
    expect(decision.status?.message).to.contain('check whether these Secrets exist: zipbucket-s3-archive');
  });
});
