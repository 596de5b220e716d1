import { isPermanentExit } from '#crds/zipper-contract.ts';
import type { Job, Pod } from '#runtime/kube/resources.ts';
import { isJobFinished } from '../../../controller/job-state.ts';
import { isDisrupted, isEnded, terminationOf } from '../../../controller/pod-state.ts';
import type { JobWorld } from './job-world.ts';

const isOwnedBy = (pod: Pod, job: Job): boolean =>
  pod.metadata.ownerReferences?.some(({ uid }) => uid === job.metadata.uid) === true;

const failedWith = (world: JobWorld, job: Job, [type, reason]: readonly [string, string]): void => {
  const condition = { type, status: 'True', reason, lastTransitionTime: world.nowText };
  const conditions = [...(job.status?.conditions ?? []), condition];
  world.jobs.put({ ...job, status: { ...job.status, conditions } });
};

const isOutOfTime = (world: JobWorld, { spec, status }: Job): boolean =>
  Date.parse(status?.startTime ?? '') + (spec?.activeDeadlineSeconds ?? 0) * 1000 < world.now.getTime();

/** How the pods that ended count, by the rules of the Job's podFailurePolicy. */
const verdictOf = (job: Job, pods: readonly Pod[]): readonly [string, string] | undefined => {
  const exits = pods.map((pod) => terminationOf(pod)?.exitCode);
  if (exits.includes(0)) return ['Complete', 'CompletionsReached'];
  if (job.spec?.podFailurePolicy && exits.some((code) => code !== undefined && isPermanentExit(code)))
    return ['Failed', 'PodFailurePolicy'];
  const counted = pods.filter((pod) => !isDisrupted(pod)).length;
  return counted > (job.spec?.backoffLimit ?? 0) ? ['Failed', 'BackoffLimitExceeded'] : undefined;
};

/** What the Job controller of Kubernetes does, one round: counts pods, ends Jobs, starts the next pod once the last has ended. */
export const tendJobs = (world: JobWorld): void => {
  for (const job of world.jobs.all()) {
    if (isJobFinished(job)) continue;
    const pods = world.pods.all().filter((pod) => isOwnedBy(pod, job));
    const ended = pods.filter(isEnded);
    const verdict = verdictOf(job, ended);
    const failed = ended.filter((pod) => !isDisrupted(pod) && terminationOf(pod)?.exitCode !== 0).length;
    const startTime = job.status?.startTime ?? world.nowText;
    const next = { ...job, status: { ...job.status, startTime, failed } };
    const isBusy = ended.length < pods.length;
    if (verdict) failedWith(world, next, verdict);
    else if (isOutOfTime(world, next)) {
      failedWith(world, next, [isBusy ? 'FailureTarget' : 'Failed', 'DeadlineExceeded']);
      for (const pod of pods) world.askToStop(pod);
    } else {
      world.jobs.put(next);
      if (!isBusy) world.startPod(next);
    }
  }
};
