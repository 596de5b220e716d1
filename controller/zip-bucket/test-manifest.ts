import { createHash } from 'node:crypto';
import type { ZipBucket } from '#crds/zip-bucket.ts';
import { CONTRACT_VERSION } from '#crds/zipper-contract.ts';
import type { CheckBucketTask } from '#crds/zipper-task.ts';
import type { Job } from '#runtime/kube/resources.ts';
import { controllerReferenceOf } from '../cluster/ownership.ts';
import { queuedJob, settingsOf, taskBucket, zipperLabels } from '../zip-job/manifest/job-manifest.ts';
import { zipperPodMetadata, zipperPodSpec } from '../zip-job/manifest/zipper-pod.ts';
import type { BucketConfig } from './observation.ts';

/** Margin over the time limit of the controller, which reports a better reason. */
const GRACE_SECONDS = 30;
/** Deletes the Job if the controller is down. */
const TTL_SECONDS = 600;

/**
 * The same nonce for the same spec of a bucket always gives the same name, so that the next leader finds the Job. Uses a hash,
 * because the name of a bucket may be too long for the name of a Job.
 */
export function testJobName({ metadata }: ZipBucket, nonce: string): string {
  const identity = JSON.stringify([metadata.uid, metadata.generation, nonce]);
  return `zipbucket-test-${createHash('sha256').update(identity).digest('hex').slice(0, 24)}`;
}

export type TestSettings = BucketConfig & {
  /** Absent: the Job is in no queue. */
  readonly queueName?: string | undefined;
};

/** The Job that tests a bucket. It has no token of the API server and mounts only the credentials of this bucket. */
export function testJob(bucket: ZipBucket, nonce: string, config: TestSettings): Job {
  const { namespace } = bucket.metadata;
  const task: CheckBucketTask = {
    mode: 'check-bucket',
    contractVersion: CONTRACT_VERSION,
    bucket: taskBucket(bucket),
    ...settingsOf(config),
  };
  const name = testJobName(bucket, nonce);
  const labels = zipperLabels(name, 'check-bucket');
  const queued = queuedJob(config.queueName);
  return {
    apiVersion: 'batch/v1',
    kind: 'Job',
    metadata: {
      name,
      namespace,
      labels: { ...labels, ...queued.labels },
      ownerReferences: [controllerReferenceOf(bucket, 'ZipBucket')],
    },
    spec: {
      completions: 1,
      parallelism: 1,
      ...queued.spec,
      // The kubelet may reject the pod. The controller deletes the Job after a pod that has run.
      backoffLimit: config.maxDisruptions,
      activeDeadlineSeconds: config.bucketTestSeconds + GRACE_SECONDS,
      ttlSecondsAfterFinished: TTL_SECONDS,
      podReplacementPolicy: 'Failed',
      podFailurePolicy: {
        rules: [{ action: 'Ignore', onPodConditions: [{ type: 'DisruptionTarget', status: 'True' }] }],
      },
      template: {
        metadata: zipperPodMetadata(labels, task, config),
        spec: zipperPodSpec({
          hasToken: false,
          bucket,
          fileSecrets: [],
          resources: config.zipperResources,
          priorityClassName: config.zipperPriorityClassName,
          config,
        }),
      },
    },
  };
}
