import { expect } from 'chai';
import { zipJobKeyOf } from '#controller/cluster/caches.ts';
import { isJobFinished, jobFailure } from '#controller/cluster/job-state.ts';
import { controllerOf, isZipperJob, isZipperPod } from '#controller/cluster/ownership.ts';
import { isDisrupted, isEnded, scheduledAt, terminationOf } from '#controller/cluster/pod-state.ts';
import { jobSkeleton, podSkeleton } from '#controller/cluster/skeletons.ts';
import { terminationMessageOf } from '#controller/cluster/termination-message.ts';
import { attemptOf } from '#controller/zip-job/attempt.ts';
import { ZIPPER_CONTAINER } from '#crds/api-group.ts';
import { type Job, type Pod, RESOURCES } from '#runtime/kube/resources.ts';
import { aZipJob, NOW } from '#test/support/builders/objects.ts';
import { productionJob, productionPod } from '#test/support/builders/production-objects.ts';

function pod(change: object = {}): Pod {
  const made = RESOURCES.pods.decode(productionPod(1));
  return { ...made, status: { ...made.status, ...change } };
}

function failedWith(terminated: object): object {
  return {
    phase: 'Failed',
    containerStatuses: [{ name: ZIPPER_CONTAINER, state: { terminated } }],
  };
}

function keptOf<T>(kept: T | undefined): T {
  if (kept === undefined) throw new Error('the cache leaves it out');
  return kept;
}

/** The owner without the field that nothing reads. */
function ownerOf(one: Job | Pod, kind: 'Job' | 'ZipJob') {
  const { blockOwnerDeletion: _unread, ...owner } = controllerOf(one, kind) ?? {};
  return owner;
}

describe('podSkeleton', () => {
  const message = JSON.stringify({
    contractVersion: 1,
    mode: 'archive',
    failure: { code: 'SourceNotFound', message: 'file 0: HTTP 404', fileIndex: 0, retriable: false },
  });
  const ends = [
    ['succeeded', pod()],
    ['failed', pod(failedWith({ exitCode: 12, reason: 'Error', message }))],
    ['ran out of memory', pod(failedWith({ exitCode: 137, reason: 'OOMKilled' }))],
    [
      'was evicted',
      pod({ phase: 'Failed', reason: 'Evicted', message: 'low on disk', containerStatuses: [] }),
    ],
    [
      'was preempted',
      pod({
        ...failedWith({ exitCode: 143, reason: 'Error' }),
        conditions: [{ type: 'DisruptionTarget', status: 'True', reason: 'PreemptionByScheduler' }],
      }),
    ],
  ] as const;
  for (const [name, whole] of ends)
    it(`keeps the evidence of a pod that ${name}, and little else`, () => {
      const kept = keptOf(podSkeleton(whole));
      function ended(one: Pod) {
        return attemptOf(aZipJob(), { podUid: 'p', pod: one }, { n: 1, now: NOW });
      }
      expect(ended(kept)).to.deep.equal(ended(whole));
      function facts(one: Pod) {
        return [
          isEnded(one),
          isDisrupted(one),
          terminationOf(one)?.exitCode,
          terminationMessageOf(one),
          ownerOf(one, 'Job'),
          isZipperPod(one),
          zipJobKeyOf(one),
          one.metadata.uid,
          one.metadata.resourceVersion,
          one.spec?.nodeName,
        ];
      }
      expect(facts(kept)).to.deep.equal(facts(whole));
      expect(JSON.stringify(kept).length).to.be.below(JSON.stringify(whole).length / 2);
    });

  it('keeps the conditions and volumes of a pod that runs, and drops its annotations', () => {
    const containerStatuses = [{ name: ZIPPER_CONTAINER, state: { running: {} } }];
    const running = pod({ phase: 'Running', containerStatuses });
    const kept = keptOf(podSkeleton(running));
    expect(scheduledAt(kept)).to.be.a('number').and.to.equal(scheduledAt(running));
    expect(kept.status?.conditions).to.deep.equal(running.status?.conditions);
    expect(terminationOf(kept)).to.deep.equal(terminationOf(running));
    expect(kept.spec?.volumes).to.deep.equal(running.spec?.volumes);
    expect(kept.metadata.annotations).to.equal(undefined);
  });

  for (const phase of ['Running', 'Failed'])
    it(`leaves out a pod of another service account in phase ${phase} (N19)`, () => {
      const whole = pod({ phase });
      expect(podSkeleton({ ...whole, spec: { ...whole.spec, serviceAccountName: 'default' } })).to.equal(
        undefined,
      );
      expect(podSkeleton({ ...whole, spec: {} })).to.equal(undefined);
    });
});

describe('jobSkeleton', () => {
  function job(status: object): Job {
    const made = RESOURCES.jobs.decode(productionJob(1));
    return { ...made, status: { ...made.status, ...status } };
  }
  const failed = {
    failed: 3,
    conditions: [{ type: 'Failed', status: 'True', reason: 'BackoffLimitExceeded', message: 'too many' }],
  };

  it('keeps the owner, the labels and the end of a finished Job', () => {
    for (const whole of [job({}), job(failed)]) {
      const kept = keptOf(jobSkeleton(whole));
      function facts(one: Job) {
        return [
          isJobFinished(one),
          jobFailure(one),
          one.status?.failed,
          one.status?.startTime,
          ownerOf(one, 'ZipJob'),
          isZipperJob(one),
          zipJobKeyOf(one),
          one.metadata.uid,
          one.metadata.creationTimestamp,
        ];
      }
      expect(facts(kept)).to.deep.equal(facts(whole));
      expect(JSON.stringify(kept.spec).length).to.be.below(100);
      expect(kept.metadata.annotations).to.equal(undefined);
    }
  });

  it('keeps the status of an unfinished Job', () => {
    const whole = job({ conditions: [], failed: 3 });
    const { startTime } = whole.status ?? {};
    expect(keptOf(jobSkeleton(whole)).status).to.deep.equal({ startTime, failed: 3, conditions: [] });
  });

  it('leaves out a Job of another service account (N19)', () => {
    for (const conditions of [[], failed.conditions])
      expect(
        jobSkeleton({
          ...job({ conditions }),
          spec: { template: { spec: { serviceAccountName: 'default', containers: [] } } },
        }),
      ).to.equal(undefined);
  });
});
