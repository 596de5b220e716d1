import { isOwnReason } from '../cluster/own-reason.ts';

/** Why Kubernetes ends containers and pods, and what an attempt records of a pod that reported nothing. */
const OF_PODS = new Set([
  'Completed',
  'ContainerCannotRun',
  'ContainerStatusUnknown',
  'DeadlineExceeded',
  'DeletionByPodGC',
  'DeletionByTaintManager',
  'Error',
  'Evicted',
  'EvictionByEvictionAPI',
  'NodeLost',
  'NodeShutdown',
  'OOMKilled',
  'PodFailed',
  'PodGone',
  'PodLost',
  'Preempting',
  'PreemptionByScheduler',
  'StartError',
  'Terminated',
  'TerminationByKubelet',
  'UnexpectedAdmissionError',
]);

/** A reason from a closed list; `Other` for any other text. */
export function knownReason(reason: string): string {
  return isOwnReason(reason) || OF_PODS.has(reason) ? reason : 'Other';
}
