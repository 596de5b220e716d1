import { type Reason, shorten } from '#crds/conditions.ts';
import { defined } from '#runtime/collections/optional.ts';
import { findQuotaRefusal, type QuotaRefusal } from '#runtime/kube/quota-refusal.ts';
import type { Event, Job, Pod } from '#runtime/kube/resources.ts';
import { redactText } from '#runtime/log/redact.ts';
import { isSuspended, queueOf } from './job-state.ts';
import { type ContainerStatus, isEnded, scheduledAt, terminationOf, zipperStatusOf } from './pod-state.ts';
import { timeOf } from './times.ts';

export interface PodWait {
  readonly reason: Reason;
  readonly message: string;
}

/** What the newest Warning Event says. */
export interface PodRefusal extends PodWait {
  /** The quota that refused the pod. */
  readonly quota?: QuotaRefusal;
}

/** Waiting reasons of a container that starts as usual. */
const USUAL = new Set(['', 'ContainerCreating', 'PodInitializing']);
const OF_IMAGES = /image|registry/i;

/** The kubelet's reason and message, without secrets. Its messages may contain addresses with credentials. */
function words(reason: Reason, { reason: what = '', message = '' }: { reason?: string; message?: string }) {
  const text = redactText(message);
  return { reason, message: shorten(text === '' ? what : `${what}: ${text}`) };
}

/** Removes the name of the rejected pod: it differs each time and would cause a new Event each time. */
function plain(message: string): string {
  return message.replace(/^Error creating: /, '').replace(/^pods "[^"]*" (?:is|are) forbidden: /, '');
}

/** What the newest Warning Event of a Job or its pod says about the missing container. */
export function newestWarning(events: readonly Event[]): PodRefusal | undefined {
  const last = events
    .filter(({ type, reason }) => type === 'Warning' || reason === 'FailedCreate')
    .reduce<Event | undefined>(
      (newest, event) =>
        (timeOf(event.lastTimestamp) ?? 0) >= (timeOf(newest?.lastTimestamp) ?? 0) ? event : newest,
      undefined,
    );
  if (last?.message === undefined) return undefined;
  const { reason = '', message } = last;
  if (reason === 'FailedCreate') {
    const text = redactText(plain(message));
    const isQuota = /\b(?:exceeded|failed) quota\b/.test(text);
    return {
      reason: isQuota ? 'QuotaExceeded' : 'AdmissionRefused',
      message: shorten(text),
      ...defined({ quota: findQuotaRefusal(message) }),
    };
  }
  if (reason === 'FailedScheduling') return words('Unschedulable', { message, reason });
  return words(OF_IMAGES.test(message) && !/mount|volume/i.test(message) ? 'ImagePull' : 'ContainerConfig', {
    reason,
    message,
  });
}

/** Mounts normally take a second or two. A missing Secret leaves the pod in ContainerCreating without an error. */
export const MOUNT_GRACE_PERIOD_MS = 30_000;

function mountsOf(pod: Pod): string {
  const names = (pod.spec?.volumes ?? []).flatMap((volume) => [
    ...(volume.secret?.secretName === undefined ? [] : [volume.secret.secretName]),
    ...(volume.projected?.sources ?? []).flatMap((source) => source.secret?.name ?? []),
  ]);
  return names.join(', ');
}

/** True if the pod is scheduled for longer than containers normally take to start. */
export function isStartingLate(pod: Pod, now: Date): boolean {
  const since = scheduledAt(pod);
  return since !== undefined && !hasRun(pod) && now.getTime() - since >= MOUNT_GRACE_PERIOD_MS;
}

/** A guess, for a node that reports nothing. */
function mounting(pod: Pod): PodWait {
  return {
    reason: 'ContainerConfig',
    message: `the container of pod ${pod.metadata.name} has not been created, and the node reports no reason; check whether these Secrets exist: ${mountsOf(pod)}`,
  };
}

function unschedulable(pod: Pod): PodWait | undefined {
  const condition = pod.status?.conditions?.find(
    ({ type, status, reason }) =>
      type === 'PodScheduled' &&
      status === 'False' &&
      (reason === 'Unschedulable' || reason === 'SchedulingGated'),
  );
  return (
    condition && {
      reason: 'Unschedulable',
      message: redactText(condition.message ?? 'no node can run the pod'),
    }
  );
}

/** How containerd and Docker report a container that they could not start. The message is theirs, not the end of our log. */
const START_ERRORS = new Set(['StartError', 'ContainerCannotRun']);

/** The words of the container runtime, if it could not start the zipper. */
export function startError(pod: Pod): PodWait | undefined {
  const end = terminationOf(pod);
  return end && START_ERRORS.has(end.reason ?? '') ? words('ContainerConfig', end) : undefined;
}

function hasRun(pod: Pod): boolean {
  const state = zipperStatusOf(pod)?.state;
  return state?.running !== undefined || (state?.terminated !== undefined && !startError(pod));
}

const OF_IMAGE_REASONS = /image|^SignatureValidationFailed$/i;

function ofWaiting({ state }: ContainerStatus): PodWait | undefined {
  const waiting = state?.waiting;
  if (!waiting || USUAL.has(waiting.reason ?? '')) return undefined;
  return words(OF_IMAGE_REASONS.test(waiting.reason ?? '') ? 'ImagePull' : 'ContainerConfig', waiting);
}

function ofFailedInit({ state }: ContainerStatus): PodWait | undefined {
  const terminated = state?.terminated;
  if (terminated === undefined || terminated.exitCode === 0) return undefined;
  const said = words('ContainerConfig', { ...terminated, reason: terminated.reason ?? 'Error' });
  return { ...said, message: `${said.message} (exit code ${terminated.exitCode})` };
}

function ofInit(container: ContainerStatus): PodWait | undefined {
  const said = ofWaiting(container) ?? ofFailedInit(container);
  return said && { ...said, message: `init container ${container.name}: ${said.message}` };
}

function refusedByNode(pod: Pod): PodWait | undefined {
  const init = (pod.status?.initContainerStatuses ?? []).map(ofInit);
  const zipper = zipperStatusOf(pod);
  return init.find((one) => one !== undefined) ?? (zipper && ofWaiting(zipper)) ?? startError(pod);
}

/** The kubelet rejected the pod, for example with OutOfcpu, or evicted it, before its container started. */
function rejected({ status }: Pod): PodWait | undefined {
  return status?.phase === 'Failed' && status.reason !== undefined
    ? words('Unschedulable', status)
    : undefined;
}

/** The external reason why a pod does not start; undefined if none is known. `warning` is that of the newest Event. */
export function podWaiting(pod: Pod, now: Date, warning?: PodWait): PodWait | undefined {
  if (hasRun(pod)) return undefined;
  // The report of a node comes first: the pod is scheduled then, whatever the scheduler wrote before.
  const said = refusedByNode(pod) ?? rejected(pod) ?? unschedulable(pod);
  if (said || isEnded(pod) || !isStartingLate(pod, now)) return said;
  return warning ?? mounting(pod);
}

/** Why a Job has no running container, for archives, recoveries and bucket tests: the words of the cluster first, guesses last. */
export function whyNoContainer(
  { pods, warning }: { readonly pods: readonly Pod[]; readonly warning: PodWait | undefined },
  now: Date,
): PodWait | undefined {
  if (pods.length === 0) return warning;
  const current = pods.filter((pod) => !isEnded(pod));
  return (current.length > 0 ? current : pods)
    .map((pod) => podWaiting(pod, now, warning))
    .find((wait) => wait !== undefined);
}

/** Why a suspended Job has no pod. Kueue may suspend every Job of a namespace, also those in no queue. */
export function suspension(job: Job, queueName = queueOf(job)): PodWait | undefined {
  if (!isSuspended(job)) return undefined;
  const { name } = job.metadata;
  const message =
    queueName === undefined
      ? `Job ${name} is suspended, for example by Kueue with manageJobsWithoutQueueName, and is in no queue; set spec.jobDefaults.queueName of the ZipProject, or exclude the namespace from Kueue`
      : `Job ${name} is suspended until queue ${queueName} admits it`;
  return { reason: 'AwaitingQueue', message };
}
