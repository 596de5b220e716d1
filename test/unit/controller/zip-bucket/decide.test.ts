import { expect } from 'chai';
import { decideBucket } from '#controller/zip-bucket/decide.ts';
import type {
  BucketAction,
  BucketDecision,
  BucketObservation,
  BucketTest,
} from '#controller/zip-bucket/observation.ts';
import { testJob, testJobName } from '#controller/zip-bucket/test-manifest.ts';
import { ANNOTATIONS, FINALIZER } from '#crds/api-group.ts';
import { findCondition } from '#crds/conditions.ts';
import type { ObjectMeta } from '#crds/object-meta.ts';
import type { BucketCheck, TerminationMessage } from '#crds/termination-message.ts';
import type { ZipBucket, ZipBucketStatus } from '#crds/zip-bucket.ts';
import { isFinished } from '#crds/zip-job.ts';
import type { Pod } from '#runtime/kube/resources.ts';
import { aConfig } from '#test/support/builders/config.ts';
import {
  ago,
  aPod,
  aZipBucket,
  aZipJob,
  aZipProject,
  NAMESPACE,
  NOW,
} from '#test/support/builders/objects.ts';
import { ended, endedBesideSidecar, waitingFor } from '#test/support/builders/pod-statuses.ts';

const config = aConfig();

function aBucket(metadata: Partial<ObjectMeta> = {}, status?: ZipBucketStatus): ZipBucket {
  const bucket = aZipBucket();
  return {
    ...bucket,
    metadata: { ...bucket.metadata, uid: 'uid-bucket', generation: 1, finalizers: [FINALIZER], ...metadata },
    status: { activeJobs: 0, ...status },
  };
}

function asked(nonce = 'a'): Partial<ObjectMeta> {
  return { annotations: { [ANNOTATIONS.testBucket]: nonce } };
}

const leaving = { deletionTimestamp: ago(5) };

function judge(bucket: ZipBucket, change: Partial<BucketObservation> = {}): BucketDecision {
  return decideBucket(
    {
      bucket,
      unfinishedJobs: (change.zipJobs ?? []).filter((zipJob) => !isFinished(zipJob)).length,
      isHeld: false,
      zipJobs: [],
      project: undefined,
      isProjectLeaving: false,
      tests: [],
      isNamespaceTerminating: false,
      ...change,
    },
    NOW,
    config,
  );
}

function kinds({ actions }: BucketDecision): readonly string[] {
  return actions.map(({ kind }) => kind);
}

/** The Job that tests the bucket; `age` in seconds. */
function aTest(bucket: ZipBucket, age: number, pods: readonly Pod[] = []): BucketTest {
  const job = testJob(bucket, 'a', config);
  return {
    job: { ...job, metadata: { ...job.metadata, uid: 'uid-test', creationTimestamp: ago(age) } },
    pods,
  };
}

function said(message: TerminationMessage, exitCode = 0): readonly Pod[] {
  return [aPod('t', { status: ended({ exitCode, message }) })];
}

function checked(check: BucketCheck): readonly Pod[] {
  return said({ contractVersion: 1, mode: 'check-bucket', check });
}

const finished = (['Succeeded', 'Failed'] as const).map((phase) =>
  aZipJob({ metadata: { name: phase.toLowerCase() }, status: { phase } }),
);

describe('decideBucket', () => {
  it('adds the finalizer before anything else', () => {
    const decision = judge(aBucket({ ...asked(), finalizers: [] }));
    expect(decision).to.deep.equal({ actions: [{ kind: 'addFinalizer' }] });
  });

  it('says in a condition and an event when its store is away, and when it responds again (F36)', () => {
    const held = judge(aBucket(), { isHeld: true });
    const condition = findCondition(held.status?.conditions, 'Held');
    expect(condition).to.include({ status: 'True', reason: 'StoreAway' });
    expect(held.event).to.include({ type: 'Warning', reason: 'StoreAway' });
    expect(held).not.to.have.property('isCountOnly');
    const bucket = aBucket({}, held.status);
    expect(judge(bucket, { isHeld: true })).to.deep.equal({ actions: [] });
    const free = judge(bucket);
    expect(findCondition(free.status?.conditions, 'Held')).to.include({ status: 'False' });
    expect(free.event).to.include({ type: 'Normal', reason: 'StoreResponds' });
  });

  it('counts unfinished jobs, and writes nothing if the count is unchanged', () => {
    const zipJobs = [aZipJob(), aZipJob({ metadata: { name: 'b' } }), ...finished];
    expect(judge(aBucket(), { zipJobs })).to.deep.equal({
      status: { activeJobs: 2 },
      isCountOnly: true,
      actions: [],
    });
    expect(judge(aBucket({}, { activeJobs: 2 }), { zipJobs })).to.deep.equal({ actions: [] });
  });

  describe('for a bucket that is being deleted (F15)', () => {
    function release(forced?: string) {
      return {
        actions: [{ kind: 'releaseFinalizer', ...(forced !== undefined && { forced }) }],
      };
    }
    const zipJobs = ['g', 'f', 'e', 'd', 'c', 'b', 'a'].map((name) => aZipJob({ metadata: { name } }));

    it('removes the finalizer when no job refers to the bucket', () => {
      expect(judge(aBucket(leaving))).to.deep.equal(release());
    });
    it('waits for finished jobs too, unless their project is being deleted', () => {
      const { status, actions } = judge(aBucket(leaving), { zipJobs: finished });
      expect(actions).to.deep.equal([]);
      expect(findCondition(status?.conditions, 'Waiting')?.message).to.contain('0 unfinished; 2 finished.');
      expect(judge(aBucket(leaving), { zipJobs: finished, isProjectLeaving: true })).to.deep.equal(release());
      const both = { zipJobs: [...zipJobs, ...finished], isProjectLeaving: true };
      const waiting = findCondition(judge(aBucket(leaving), both).status?.conditions, 'Waiting');
      expect(waiting?.message).to.contain('7 unfinished').and.to.contain('0 finished');
    });
    it('waits for unfinished jobs, names some of them, and says how to force the deletion', () => {
      const { status, actions } = judge(aBucket(leaving), { zipJobs });
      expect(actions).to.deep.equal([]);
      const waiting = findCondition(status?.conditions, 'Waiting');
      expect(waiting).to.include({ status: 'True', reason: 'JobsExist' });
      expect(waiting?.message).to.contain('7 unfinished: a, b, c, d, e and 2 more; 0 finished.');
      expect(waiting?.message).to.contain(ANNOTATIONS.forceDelete);
      expect(judge(aBucket(leaving, status), { zipJobs })).to.deep.equal({ actions: [] });
    });
    it('removes the finalizer at once if forced, or if the namespace is being deleted', () => {
      const annotations = { [ANNOTATIONS.forceDelete]: 'true' };
      expect(judge(aBucket({ ...leaving, annotations }), { zipJobs })).to.deep.equal(release('Forced'));
      const terminating = { zipJobs, isNamespaceTerminating: true };
      expect(judge(aBucket(leaving), terminating)).to.deep.equal(release('NamespaceTerminating'));
    });
    it('ignores the value false, and ignores the annotation on a bucket that is not being deleted', () => {
      const annotations = { [ANNOTATIONS.forceDelete]: 'false' };
      expect(judge(aBucket({ ...leaving, annotations }), { zipJobs }).actions).to.deep.equal([]);
      const forced = { annotations: { [ANNOTATIONS.forceDelete]: 'true' } };
      expect(judge(aBucket(forced)).actions).to.deep.equal([]);
    });
    it('does nothing if the finalizer is already removed', () => {
      expect(judge(aBucket({ ...leaving, finalizers: ['other/one'] }))).to.deep.equal({ actions: [] });
    });
  });

  describe('when a test is requested', () => {
    const bucket = aBucket(asked());
    function startOf(of: ZipBucket): Extract<BucketAction, { kind: 'startTest' }> {
      const [start] = judge(of).actions;
      if (start?.kind !== 'startTest') throw new Error('no test was started');
      return start;
    }

    it('starts a Job owned by the bucket under a unique name', () => {
      const { job, nonce } = startOf(bucket);
      expect(nonce).to.equal('a');
      expect(job.metadata.name).to.match(/^zipbucket-test-[0-9a-f]{24}$/);
      expect(job.metadata.ownerReferences?.[0]).to.include({
        kind: 'ZipBucket',
        name: 's3-archive',
        uid: 'uid-bucket',
      });
      expect(job.metadata.namespace).to.equal(NAMESPACE);
      const text = JSON.stringify(job.spec?.template);
      expect(text).to.contain('"secretName":"zipbucket-s3-archive"');
      expect(text).not.to.contain('serviceAccountToken');
    });
    it('starts another Job for another nonce or a changed spec', () => {
      const names = [bucket, aBucket(asked('b')), aBucket({ ...asked(), generation: 2 })].map(
        (one) => startOf(one).job.metadata.name,
      );
      expect(new Set(names).size).to.equal(3);
    });
    it('waits for the result until the time limit', () => {
      const decision = judge(bucket, { tests: [aTest(bucket, 20, [aPod('t')])] });
      expect(decision).to.deep.equal({ actions: [], requeueAfterMs: 100_000 });
    });
    it('deletes the Job of a finished nonce and does not run the test again', () => {
      const responded = aBucket(asked(), { test: { nonce: 'a', finishedAt: ago(1) } });
      const decision = judge(responded, { tests: [aTest(bucket, 20)] });
      const name = testJobName(bucket, 'a');
      expect(decision).to.deep.equal({ actions: [{ kind: 'deleteTest', name, uid: 'uid-test' }] });
    });
    it('replaces a suspended Job in no queue by one in the queue of the project (X48)', () => {
      const test = aTest(bucket, 2);
      const { template = { spec: { containers: [] } } } = test.job.spec ?? {};
      const suspended = {
        ...test,
        job: { ...test.job, spec: { ...test.job.spec, template, suspend: true } },
      };
      const project = { ...aZipProject(), spec: { jobDefaults: { queueName: 'night' } } };
      const queued = testJob(bucket, 'a', { ...config, queueName: 'night' });
      expect([queued.metadata.labels?.['kueue.x-k8s.io/queue-name'], queued.spec?.suspend]).to.deep.equal([
        'night',
        true,
      ]);
      expect(judge(bucket, { tests: [suspended], project }).actions).to.deep.equal([
        { kind: 'deleteTest', name: test.job.metadata.name, uid: 'uid-test' },
        { kind: 'startTest', nonce: 'a', job: queued },
      ]);
      const waiting = {
        ...suspended,
        job: { ...queued, metadata: { ...test.job.metadata, ...queued.metadata } },
      };
      for (const seen of [{ tests: [waiting], project }, { tests: [suspended] }])
        expect(judge(bucket, seen).actions).to.deep.equal([]);
    });

    it('deletes the Job of an earlier nonce', () => {
      expect(kinds(judge(aBucket(asked('b')), { tests: [aTest(bucket, 20)] }))).to.deep.equal([
        'deleteTest',
        'startTest',
      ]);
    });
  });

  describe('reports a test result', () => {
    const bucket = aBucket(asked());
    function reported(pods: readonly Pod[], age = 20): ZipBucketStatus {
      const { status } = judge(bucket, { tests: [aTest(bucket, age, pods)] });
      if (!status) throw new Error('no status');
      expect(status.test).to.deep.equal({ nonce: 'a', finishedAt: ago(0) });
      return status;
    }
    function readyOf({ conditions }: ZipBucketStatus) {
      return findCondition(conditions, 'Ready');
    }
    function fenceOf({ conditions }: ZipBucketStatus) {
      return findCondition(conditions, 'RecoveryLimited');
    }

    it('when the test succeeded', () => {
      const status = reported(checked({ ok: true, missingPermissions: [] }));
      expect(readyOf(status)).to.include({ status: 'True', reason: 'BucketTested', observedGeneration: 1 });
      expect(fenceOf(status)).to.include({ status: 'False', reason: 'AllPermitted' });
    });
    it('when the credentials lack s3:GetObject and s3:ListBucket', () => {
      const missingPermissions = ['s3:GetObject and s3:ListBucket'];
      const status = reported(checked({ ok: true, missingPermissions }));
      expect(readyOf(status)).to.include({ status: 'True' });
      expect(fenceOf(status)).to.include({ status: 'True', reason: 'ReadForbidden' });
      expect(fenceOf(status)?.message).to.contain('s3:GetObject and s3:ListBucket');
    });
    it('when files of jobs may be unreadable in a readable bucket (SZ4)', () => {
      const missingPermissions = ['s3:GetObject and s3:ListBucket'];
      const pods = checked({ ok: true, missingPermissions });
      const readable = { ...bucket, spec: { ...bucket.spec, readable: true } };
      const { status } = judge(readable, { tests: [aTest(readable, 20, pods)] });
      expect(readyOf(status!)).to.include({
        status: 'True',
        message:
          'Archives can be written to the bucket. The bucket is readable, but jobs cannot read its files without s3:GetObject. The credentials lack s3:GetObject and s3:ListBucket.',
      });
      expect(readyOf(reported(pods))?.message).not.to.contain('readable');
    });
    it('when the credentials lack s3:AbortMultipartUpload (F27)', () => {
      const missingPermissions = ['s3:ListBucketMultipartUploads', 's3:AbortMultipartUpload'];
      const status = reported(checked({ ok: true, missingPermissions }));
      expect(readyOf(status)).to.include({ status: 'True' });
      expect(fenceOf(status)).to.include({ status: 'True', reason: 'AbortForbidden' });
      expect(fenceOf(status)?.message).to.contain('s3:AbortMultipartUpload');
    });
    it('when the credentials lack s3:ListBucketMultipartUploads', () => {
      const status = reported(checked({ ok: true, missingPermissions: ['s3:ListBucketMultipartUploads'] }));
      expect(fenceOf(status)).to.include({ status: 'True', reason: 'ListForbidden' });
    });
    it('when the credentials lack s3:ListMultipartUploadParts, without which no upload is continued', () => {
      const lost = 'An archive whose pod is lost starts again from its first file.';
      const status = reported(checked({ ok: true, missingPermissions: ['s3:ListMultipartUploadParts'] }));
      expect(fenceOf(status)).to.include({ status: 'True', reason: 'ListForbidden' });
      expect(fenceOf(status)?.message).to.contain(
        `${lost} The credentials lack s3:ListMultipartUploadParts.`,
      );
      const other = reported(checked({ ok: true, missingPermissions: ['s3:ListBucketMultipartUploads'] }));
      expect(fenceOf(other)?.message).not.to.contain(lost);
    });
    it('when the credentials cannot write, with the code and the permission', () => {
      const failure = { code: 'BucketAccessDenied', retriable: false, message: 'the store refused' };
      const status = reported(checked({ ok: false, missingPermissions: ['s3:PutObject'], failure }));
      expect(readyOf(status)).to.include({
        status: 'False',
        reason: 'BucketAccessDenied',
        message: 'the store refused The credentials lack s3:PutObject.',
      });
      expect(fenceOf(status)).to.equal(undefined);
    });
    it('when the zipper could not start', () => {
      const failure = { code: 'BucketMisconfigured', retriable: false, message: 'its host is not allowed' };
      const status = reported(said({ contractVersion: 1, mode: 'check-bucket', failure }, 13));
      expect(readyOf(status)).to.include({ status: 'False', reason: 'BucketMisconfigured' });
    });
    it('when the test timed out, with the reason why its pod did not start', () => {
      const pod = aPod('t', { status: waitingFor('CreateContainerConfigError', 'secret not found') });
      expect(readyOf(reported([{ ...pod, status: { ...pod.status, phase: 'Pending' } }], 121))).to.include({
        status: 'False',
        reason: 'ContainerConfig',
      });
      expect(readyOf(reported([], 121))).to.include({ status: 'False', reason: 'BucketTestFailed' });
    });
    it('when a sidecar outlives a zipper that reported nothing (X35)', () => {
      const status = endedBesideSidecar({ exitCode: 137, reason: 'OOMKilled' });
      expect(readyOf(reported([aPod('t', { status })], 20))).to.include({
        status: 'False',
        reason: 'BucketTestFailed',
        message: 'pod t reported no result: OOMKilled, exit code 137',
      });
    });
    it('when the container runtime could not start the zipper, with its words (X49)', () => {
      const status = ended({ exitCode: 128, reason: 'StartError', message: 'exec format error' });
      expect(readyOf(reported([aPod('t', { status })]))).to.include({
        status: 'False',
        reason: 'ContainerConfig',
        message: 'StartError: exec format error',
      });
    });
    it('when the kubelet rejected its pods until the test timed out, with its words (X49)', () => {
      const conditions = [{ type: 'PodScheduled', status: 'True', lastTransitionTime: ago(100) }];
      const status = { phase: 'Failed', reason: 'OutOfcpu', message: 'not enough cpu', conditions };
      const { reason, message } = readyOf(reported([aPod('t', { status })], 121)) ?? {};
      expect(reason).to.equal('Unschedulable');
      expect(message).to.match(/did not finish within 120 s: Unschedulable: OutOfcpu: not enough cpu$/);
    });
    it('when the Job failed without a termination message', () => {
      const test = aTest(bucket, 20, [
        aPod('t', { status: ended({ exitCode: 1, message: 'Segmentation fault' }) }),
      ]);
      const conditions = [{ type: 'Failed', status: 'True', reason: 'BackoffLimitExceeded' }];
      const { status } = judge(bucket, {
        tests: [{ ...test, job: { ...test.job, status: { conditions } } }],
      });
      expect(readyOf(status ?? {})).to.include({ status: 'False', reason: 'BucketTestFailed' });
    });
  });
});
