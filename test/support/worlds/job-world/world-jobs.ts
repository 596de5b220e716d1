import { isJobFinished, jobFailure } from '#controller/cluster/job-state.ts';
import { isDisrupted, isPodOver, terminationOf } from '#controller/cluster/pod-state.ts';
import { isPermanentExit } from '#crds/exit-codes.ts';
import type { Job, Pod } from '#runtime/kube/resources.ts';
import type { JobWorld } from './job-world.ts';

function isOwnedBy(pod: Pod, job: Job): boolean {
  return pod.metadata.ownerReferences?.some(({ uid }) => uid === job.metadata.uid) === true;
}

function failedWith(world: JobWorld, job: Job, [type, reason]: readonly [string, string]): void {
  const condition = { type, status: 'True', reason, lastTransitionTime: world.nowText };
  const conditions = [...(job.status?.conditions ?? []), condition];
  world.jobs.put({ ...job, status: { ...job.status, conditions } });
}

/** When the Job controller ends an unfinished Job. It reads the start time with the clock that wrote it. */
export function jobDeadline(
  { jobControllerSkew }: Pick<JobWorld, 'jobControllerSkew'>,
  job: Job,
): Date | undefined {
  const { spec, status } = job;
  if (isJobFinished(job) || status?.startTime === undefined) return undefined;
  const seconds = (spec?.activeDeadlineSeconds ?? Infinity) + 1 - jobControllerSkew;
  return seconds === Infinity ? undefined : new Date(Date.parse(status.startTime) + seconds * 1000);
}

function isAfterDeadline(world: JobWorld, job: Job): boolean {
  const deadline = jobDeadline(world, job);
  return deadline !== undefined && deadline <= world.now;
}

/** The result of ended pods by the rules of the Job's podFailurePolicy. */
function resultOf(job: Job, pods: readonly Pod[]): readonly [string, string] | undefined {
  const exits = pods.map((pod) => terminationOf(pod)?.exitCode);
  if (exits.includes(0)) return ['Complete', 'CompletionsReached'];
  if (job.spec?.podFailurePolicy && exits.some((code) => code !== undefined && isPermanentExit(code)))
    return ['Failed', 'PodFailurePolicy'];
  return (job.status?.failed ?? 0) > (job.spec?.backoffLimit ?? 0)
    ? ['Failed', 'BackoffLimitExceeded']
    : undefined;
}

/** A Job that exceeds its deadline stops its pods, and has failed when the last of them ends. */
function endAfterDeadline(world: JobWorld, job: Job, pods: readonly Pod[]): void {
  const isBusy = !pods.every(isPodOver);
  const type = isBusy ? 'FailureTarget' : 'Failed';
  if (jobFailure(job) === undefined || !isBusy) failedWith(world, job, [type, 'DeadlineExceeded']);
  for (const pod of pods) world.deletePod(pod);
}

/** Exit codes that the Job's podFailurePolicy ignores. */
function ignoredExits({ spec }: Job): readonly number[] {
  return (
    spec?.podFailurePolicy?.rules
      .filter(({ action }) => action === 'Ignore')
      .flatMap(({ onExitCodes }) => onExitCodes?.values ?? []) ?? []
  );
}

/** A pod is counted once, and its object exists until then. */
function countsAgain({ countedPods }: JobWorld, job: Job, pod: Pod): boolean {
  return (
    !countedPods.has(pod.metadata.name) &&
    !isDisrupted(pod) &&
    ![0, ...ignoredExits(job)].includes(terminationOf(pod)?.exitCode ?? -1)
  );
}

/** True for a pod that the Job does not replace yet. */
function isInPlace({ spec }: Job, pod: Pod): boolean {
  return (
    !isPodOver(pod) &&
    (spec?.podReplacementPolicy === 'Failed' || pod.metadata.deletionTimestamp === undefined)
  );
}

function reconcileJob(world: JobWorld, job: Job): void {
  const pods = world.pods.all().filter((pod) => isOwnedBy(pod, job));
  const ended = pods.filter(isPodOver);
  const failed = (job.status?.failed ?? 0) + ended.filter((pod) => countsAgain(world, job, pod)).length;
  for (const pod of ended) world.countedPods.add(pod.metadata.name);
  const startTime = job.status?.startTime ?? world.timeText(world.jobControllerSkew);
  const next = { ...job, status: { ...job.status, startTime, failed } };
  const result = resultOf(next, ended);
  if (result) {
    failedWith(world, next, result);
    for (const pod of pods.filter((one) => !isPodOver(one))) world.deletePod(pod);
  } else if (isAfterDeadline(world, next)) endAfterDeadline(world, next, pods);
  else {
    world.jobs.put(next);
    if (!pods.some((pod) => isInPlace(next, pod))) world.startPod(next);
  }
}

/**
 * One round of Kubernetes' Job controller: counts pods, ends Jobs, starts the next pod after the last one has
 * ended.
 */
export function reconcileJobs(world: JobWorld): void {
  for (const job of world.jobs.all()) if (!isJobFinished(job)) reconcileJob(world, job);
}
