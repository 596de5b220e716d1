import { ANNOTATIONS, fileListOwner, LABELS, ZIPPER_CONTAINER } from '#crds/api-group.ts';
import { DISRUPTION_EXIT_CODES, PERMANENT_EXIT_CODES } from '#crds/exit-codes.ts';
import { uidOf } from '#crds/object-meta.ts';
import type { ZipBucket } from '#crds/zip-bucket.ts';
import { SPEC_DEFAULTS, type ZipJob, type ZipJobSpec } from '#crds/zip-job.ts';
import { fileCount } from '#crds/zip-job-facts.ts';
import { CONTRACT_VERSION } from '#crds/zipper-contract.ts';
import type {
  ArchiveTask,
  RecoveryTask,
  TaskBucket,
  TaskSourceBucket,
  ZipperTask,
} from '#crds/zipper-task.ts';
import { defined } from '#runtime/collections/optional.ts';
import type { Job } from '#runtime/kube/resources.ts';
import { validTraceparent } from '#runtime/log/traceparent.ts';
import { controllerReferenceOf } from '../../cluster/ownership.ts';
import type { DecisionConfig } from '../observation.ts';
import { withLeastMemory } from '../policies/archive-size.ts';
import { deadlineSeconds } from '../policies/deadline.ts';
import { jobBackoffLimit } from '../policies/failure.ts';
import { onConflictOf } from './on-conflict.ts';
import { recoveryFacts, type ToRecover } from './recovery-facts.ts';
import { type ZipperPod, zipperPodMetadata, zipperPodSpec } from './zipper-pod.ts';

/** What puts a Job into a queue, whose controller resumes the Job when it admits it. */
export function queuedJob(queueName: string | undefined) {
  return queueName === undefined
    ? {}
    : ({ labels: { [LABELS.queueName]: queueName }, spec: { suspend: true } } as const);
}

export function recoveryJobName(zipJobName: string, attempt: number): string {
  return `${zipJobName}-recover-${attempt}`;
}

/** The bucket fields of a task. */
export function taskBucket(bucket: ZipBucket): TaskBucket {
  const { bucketName, objectOptions, readable: _readable, credentials, ...place } = bucket.spec;
  const { onConflict: _onConflict, ...options } = objectOptions ?? {};
  return { name: bucketName, ...place, ...options, ...credentials };
}

function taskSourceBucket({ metadata, spec }: ZipBucket): TaskSourceBucket {
  const { bucketName, objectOptions: _options, readable: _readable, credentials, ...place } = spec;
  return { zipBucket: metadata.name, name: bucketName, ...place, ...credentials };
}

/** The operator's settings of a task. */
export function settingsOf({
  taskSettings,
}: Pick<DecisionConfig, 'taskSettings'>): Pick<ZipperTask, 'settings'> {
  return Object.keys(taskSettings).length > 0 ? { settings: taskSettings } : {};
}

/** Optional fields of a task, set only if the ZipJob sets them. */
function choicesOf({
  onSourceError,
  manifestEntry,
  manifestFormat,
  portableNames,
  duplicateNames,
  sequential,
  fixedModificationTime,
  sha256,
  objectOptions = {},
}: ZipJobSpec) {
  return {
    ...defined({
      onSourceError,
      manifestEntry,
      manifestFormat,
      portableNames,
      sequential,
      fixedModificationTime,
    }),
    ...(sha256 === true && { sha256 }),
    ...(duplicateNames === 'rename' && { duplicateNames }),
    ...(Object.keys(objectOptions).length > 0 && { objectOptions }),
  };
}

/** What a task depends on besides its objects. */
export interface ManifestSettings extends DecisionConfig {
  /** A job of another namespace may write the same object. */
  readonly sharesTarget?: boolean | undefined;
  /** The ZipBuckets of the job's files, in the order of the ZipJob. Absent: none. */
  readonly sourceBuckets?: readonly ZipBucket[] | undefined;
}

function shared({ sharesTarget }: ManifestSettings) {
  return sharesTarget === true ? { sharedTarget: true } : {};
}

function archiveTask(zipJob: ZipJob, bucket: ZipBucket, settings: ManifestSettings): ArchiveTask {
  const { spec, metadata } = zipJob;
  const { sourceBuckets = [] } = settings;
  const { filesFrom } = spec;
  return {
    mode: 'archive',
    contractVersion: CONTRACT_VERSION,
    bucket: taskBucket(bucket),
    namespace: metadata.namespace,
    zipJob: metadata.name,
    zipJobUid: uidOf(zipJob),
    key: spec.key,
    compression: spec.compression ?? SPEC_DEFAULTS.compression,
    onConflict: onConflictOf(zipJob, bucket),
    ...choicesOf(spec),
    defaultModificationTime: metadata.creationTimestamp ?? new Date(0).toISOString(),
    files: filesFrom
      ? {
          from: 'mounted',
          chunks: filesFrom.secretNames.length,
          count: filesFrom.count,
          sha256: filesFrom.sha256,
        }
      : { from: 'inline', count: fileCount(zipJob) },
    ...(sourceBuckets.length > 0 && { sourceBuckets: sourceBuckets.map(taskSourceBucket) }),
    startDeadlineSeconds: spec.startDeadlineSeconds ?? SPEC_DEFAULTS.startDeadlineSeconds,
    activeDeadlineSeconds: deadlineSeconds(zipJob, settings),
    ...defined({ sealingKey: settings.sealingKey }),
    ...shared(settings),
    ...settingsOf(settings),
  };
}

/** Labels of every zipper Job and its pods. The instance is the ZipJob, or the Job of a bucket test. */
export function zipperLabels(
  instance: string,
  component: 'archive' | 'recover' | 'check-bucket',
): Readonly<Record<string, string>> {
  return {
    [LABELS.name]: 'zipjobs-zipper',
    [LABELS.instance]: instance,
    [LABELS.component]: component,
    [LABELS.partOf]: 'zipjobs',
    [LABELS.managedBy]: 'zipjobs-controller',
  };
}

type PodPlacement = Pick<ZipperPod, 'resources' | 'priorityClassName'>;

function archivePlacement({ spec }: ZipJob, config: DecisionConfig): PodPlacement {
  return {
    resources: withLeastMemory({ ...config.zipperResources, ...spec.resources }, config.taskSettings),
    priorityClassName: spec.priorityClassName ?? config.zipperPriorityClassName,
  };
}

/**
 * Small, and the same for every job: the outcome of a job does not wait for the room that its archive needs. Only a project that
 * sets resources has others.
 */
function recoveryPlacement(zipJob: ZipJob, config: DecisionConfig): PodPlacement {
  return {
    resources: config.recoveryResources,
    priorityClassName: config.recoveryPriorityClassName || archivePlacement(zipJob, config).priorityClassName,
  };
}

interface JobParts {
  readonly name: string;
  readonly component: 'archive' | 'recover';
  readonly task: ZipperTask;
  readonly bucket: ZipBucket;
  readonly sourceBuckets?: readonly ZipBucket[];
  readonly placement: PodPlacement;
  readonly queueName: string | undefined;
  readonly spec: Omit<Job['spec'] & object, 'template'>;
}

/** An admission policy allows a Job to mount one file list: its owner's, or the one in this annotation. */
function listAnnotation({ metadata, spec }: ZipJob) {
  const owner = spec.filesFrom && fileListOwner(spec.filesFrom.secretNames);
  return owner !== undefined && owner !== metadata.name
    ? { annotations: { [ANNOTATIONS.fileListOf]: owner } }
    : {};
}

function jobOf(zipJob: ZipJob, parts: JobParts, config: DecisionConfig): Job {
  const { name, namespace } = zipJob.metadata;
  const queued = queuedJob(parts.queueName);
  const labels = zipperLabels(name, parts.component);
  const { sourceBuckets = [] } = parts;
  return {
    apiVersion: 'batch/v1',
    kind: 'Job',
    metadata: {
      name: parts.name,
      namespace,
      labels: {
        ...labels,
        ...queued.labels,
        ...(sourceBuckets.length > 0 && { [LABELS.sourceBuckets]: 'true' }),
      },
      ...(parts.component === 'archive' && listAnnotation(zipJob)),
      ownerReferences: [controllerReferenceOf(zipJob, 'ZipJob')],
    },
    spec: {
      completions: 1,
      parallelism: 1,
      ...queued.spec,
      ...parts.spec,
      template: {
        metadata: zipperPodMetadata(labels, parts.task, config),
        spec: zipperPodSpec({
          hasToken: parts.component === 'archive',
          bucket: parts.bucket,
          sourceBuckets,
          fileSecrets: parts.component === 'archive' ? (zipJob.spec.filesFrom?.secretNames ?? []) : [],
          ...parts.placement,
          config,
          traceparent: validTraceparent(zipJob.metadata.annotations?.[ANNOTATIONS.traceparent]),
        }),
      },
    },
  };
}

/** The Job that builds the archive; it has the ZipJob's name. */
export function archiveJob(zipJob: ZipJob, bucket: ZipBucket, config: ManifestSettings): Job {
  return jobOf(
    zipJob,
    {
      name: zipJob.metadata.name,
      component: 'archive',
      task: archiveTask(zipJob, bucket, config),
      bucket,
      sourceBuckets: config.sourceBuckets ?? [],
      placement: archivePlacement(zipJob, config),
      queueName: zipJob.spec.queueName,
      spec: {
        podReplacementPolicy: 'Failed',
        backoffLimit: jobBackoffLimit(zipJob, config),
        activeDeadlineSeconds: deadlineSeconds(zipJob, config),
        podFailurePolicy: {
          rules: [
            {
              action: 'FailJob',
              onExitCodes: {
                containerName: ZIPPER_CONTAINER,
                operator: 'In',
                values: [...PERMANENT_EXIT_CODES],
              },
            },
            { action: 'Ignore', onPodConditions: [{ type: 'DisruptionTarget', status: 'True' }] },
            // Not an attempt: the pod waited in vain, usually for the recovery of the last one, or it was stopped. A queue stops the
            // pod of a Job that it preempts without the condition of a disruption.
            {
              action: 'Ignore',
              onExitCodes: {
                containerName: ZIPPER_CONTAINER,
                operator: 'In',
                values: [...DISRUPTION_EXIT_CODES],
              },
            },
          ],
        },
      },
    },
    config,
  );
}

/** The recovery Job: completes or aborts the upload of a lost attempt, and checks whether its archive is published. */
export function recoveryJob(zipJob: ZipJob, lost: ToRecover, config: ManifestSettings): Job {
  const task: RecoveryTask = {
    mode: 'recover',
    contractVersion: CONTRACT_VERSION,
    bucket: taskBucket(lost.bucket),
    zipJobUid: uidOf(zipJob),
    key: zipJob.spec.key,
    ...recoveryFacts(zipJob, lost),
    ...shared(config),
    ...settingsOf(config),
  };
  return jobOf(
    zipJob,
    {
      name: recoveryJobName(zipJob.metadata.name, lost.attempt.n),
      component: 'recover',
      task,
      bucket: lost.bucket,
      placement: recoveryPlacement(zipJob, config),
      queueName: lost.queueName,
      spec: {
        // A terminating pod counts as failed, because its node may be lost. Two recovery pods at once do no harm.
        podReplacementPolicy: 'TerminatingOrFailed',
        // The controller replaces the Job: the next pod has to find the marker upload of this one, by the time in its task.
        backoffLimit: 0,
        // Includes the time in which no node has room. The controller limits each pod, and deletes the Job when it gives up.
        activeDeadlineSeconds: config.recoveryTimeoutSeconds,
      },
    },
    config,
  );
}
