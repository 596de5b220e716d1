import { expect } from 'chai';
import { FINALIZER } from '#crds/api-group.ts';
import { isFinished } from '#crds/zip-job.ts';
import { EXIT_CODES } from '#crds/zipper-contract.ts';
import { isJobFinished, isOwnedBy } from '../../../controller/job-state.ts';
import { isEnded } from '../../../controller/pod-state.ts';
import { failureMessage } from '../pod-statuses.ts';
import type { JobWorld } from './job-world.ts';
import { tendJobs } from './world-jobs.ts';
import type { WorldPod } from './world-zipper.ts';

/** Twice the longest time that a job may take, in rounds of twenty seconds. */
const ROUNDS = 800;
const ROUND_SECONDS = 20;
/** For what Kubernetes still has to do when a job has ended. */
const LAST_ROUNDS = 10;

export const livePods = (world: JobWorld): readonly WorldPod[] =>
  [...world.processes.values()].filter(({ pod, isLost }) => {
    const live = world.pod(pod.metadata.name);
    return !isLost && live !== undefined && !isEnded(live);
  });

export const stepPods = (world: JobWorld): void => {
  for (const pod of livePods(world)) pod.step();
};

/** The kubelet: pods that were told to stop do, in peace or by force; the API server then forgets them. */
export const stopPods = (world: JobWorld, isPeaceful: () => boolean = () => true): void => {
  for (const process of world.processes.values()) {
    const live = world.pod(process.pod.metadata.name);
    if (live?.metadata.deletionTimestamp === undefined || process.isLost) continue;
    if (isEnded(live)) world.removePod(live.metadata.name);
    else if (isPeaceful())
      process.end({ exitCode: EXIT_CODES.terminated, message: failureMessage('Terminated') });
    else process.end({ exitCode: 137 });
  }
};

/** Everybody moves once, the controller last. */
export const round = async (world: JobWorld): Promise<void> => {
  world.collectGarbage();
  tendJobs(world);
  stepPods(world);
  world.store.arrive();
  stopPods(world);
  world.lagging = false;
  await world.reconcile();
};

const isAtRest = ({ zipJob }: JobWorld): boolean =>
  !zipJob || (isFinished(zipJob) && zipJob.metadata.finalizers?.includes(FINALIZER) !== true);

/** Nobody disturbs any more: everything must come to its end. */
export const calm = async (world: JobWorld): Promise<void> => {
  world.jobs.fail(undefined);
  world.killIn = Infinity;
  for (let rounds = 0; rounds < ROUNDS && !isAtRest(world); rounds += 1) {
    await round(world);
    world.pass(ROUND_SECONDS);
  }
  expect(isAtRest(world), `comes to an end, not ${JSON.stringify(world.zipJob?.status)}`).to.equal(true);
  for (let rounds = 0; rounds < LAST_ROUNDS; rounds += 1) await round(world);
  const left = world.jobs
    .all()
    .filter((job) => world.zipJob && isOwnedBy(job, world.zipJob) && !isJobFinished(job));
  expect(
    left.map(({ metadata }) => metadata.name),
    'no Job goes on after the end',
  ).to.deep.equal([]);
};
