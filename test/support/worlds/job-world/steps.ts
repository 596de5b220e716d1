import { expect } from 'chai';
import { isJobFinished, jobFailure } from '#controller/cluster/job-state.ts';
import { isOwnedBy } from '#controller/cluster/ownership.ts';
import { isEnded } from '#controller/cluster/pod-state.ts';
import { isRecovering } from '#controller/zip-job/owned-status.ts';
import { FINALIZER } from '#crds/api-group.ts';
import { EXIT_CODES } from '#crds/exit-codes.ts';
import { hasActivePod, isFinished } from '#crds/zip-job.ts';
import type { Job } from '#runtime/kube/resources.ts';
import type { KubeObject } from '#runtime/kube/types.ts';
import { failureMessage } from '../../builders/pod-statuses.ts';
import type { JobWorld } from './job-world.ts';
import { jobDeadline, reconcileJobs } from './world-jobs.ts';
import type { WorldPod } from './world-zipper.ts';

/** Rounds for the remaining work of Kubernetes after a job has finished. */
const LAST_ROUNDS = 10;
/** More steps than any job needs: a controller in a requeue loop exceeds them quickly. */
const MAX_STEPS = 1000;

export function livePods(world: JobWorld): readonly WorldPod[] {
  return [...world.processes.values()].filter(({ pod, isLost }) => {
    const live = world.pod(pod.metadata.name);
    return !isLost && live !== undefined && !isEnded(live);
  });
}

/** Includes pods on lost nodes, even if the API server has forgotten them. */
export function stepPods(world: JobWorld): void {
  for (const process of world.processes.values()) process.step();
}

/**
 * The kubelet: stops pods that are being deleted, gracefully or by force; the API server then deletes them.
 */
export function stopPods(world: JobWorld, isGraceful: () => boolean = () => true): void {
  for (const process of world.processes.values()) {
    const live = world.pod(process.pod.metadata.name);
    if (live?.metadata.deletionTimestamp === undefined || process.isLost) continue;
    if (isEnded(live)) world.forgetPod(live);
    else if (isGraceful())
      process.end({ exitCode: EXIT_CODES.terminated, message: failureMessage('Terminated') });
    else process.end({ exitCode: 137 });
  }
}

/** Runs one step of everything except the controller. */
function stepOthers(world: JobWorld): void {
  world.collectGarbage();
  reconcileJobs(world);
  world.bindPods();
  stepPods(world);
  world.store.arrive();
  stopPods(world);
}

/** Runs one step of everything, the controller last. */
export async function round(world: JobWorld): Promise<void> {
  stepOthers(world);
  world.lag(() => false);
  await world.reconcile();
}

function isDone({ zipJob }: JobWorld): boolean {
  return (
    !zipJob ||
    (isFinished(zipJob) && !hasActivePod(zipJob) && zipJob.metadata.finalizers?.includes(FINALIZER) !== true)
  );
}

/** A stored object is replaced when it changes, and most of them do not change in a step. */
const texts = new WeakMap<KubeObject, string>();

function textOf(object: KubeObject): string {
  const known = texts.get(object);
  if (known !== undefined) return known;
  const { resourceVersion: _resourceVersion, ...metadata } = object.metadata;
  const text = JSON.stringify({ ...object, metadata });
  texts.set(object, text);
  return text;
}

/** The state that the next step depends on. */
function snapshotOf(world: JobWorld): string {
  const objects = [world.zipJob, ...world.jobs.all(), ...world.pods.all(), ...world.buckets.all()];
  const known = objects.filter((object) => object !== undefined).map(textOf);
  const processes = [...world.processes.values()].map(({ at }) => at);
  const { uploads, published, armed } = world.store;
  return `${known.join('\n')}\n${JSON.stringify([processes, [...uploads], published, armed])}`;
}

/** The next time at which a timer expires. */
function nextTime(world: JobWorld): Date | undefined {
  const times = [
    world.requeue.next,
    ...world.jobs.all().map((job) => jobDeadline(world, job)),
    ...[...world.processes.values()].map(({ wakesAt }) => wakesAt),
    ...world.store.timers,
  ];
  const ahead = times.filter((time) => time !== undefined && time >= world.now);
  return ahead.toSorted((one, other) => Number(one) - Number(other))[0];
}

function archiveJobs({ zipJob, jobs }: JobWorld): readonly Job[] {
  return jobs
    .all()
    .filter((job) => zipJob && job.metadata.name === zipJob.metadata.name && isOwnedBy(job, zipJob));
}

/**
 * Seconds until everything has to be finished once there are no more faults: the deadlines and timeouts of a
 * job. After its deadline, the store may still need ten minutes to assemble the archive, and recovery Jobs ask it every few
 * minutes.
 */
const LIMITS = { endRequested: 300, withoutFaults: 3600, afterDeadline: 1000 } as const;

/**
 * Latest end of a job once there are no more faults. A zipper that hangs, or is on a lost node that
 * Kubernetes has not noticed, may use up the time of its Job.
 */
function endBy(world: JobWorld): Date {
  const { zipJob, now } = world;
  const isEndRequested = zipJob?.spec.cancel === true || zipJob?.metadata.deletionTimestamp !== undefined;
  const hangs = [...world.processes.values()].some(({ pod, hangs, isLost }) => {
    const live = world.pod(pod.metadata.name);
    return (hangs || isLost) && live && !isEnded(live) && live.metadata.deletionTimestamp === undefined;
  });
  const [job] = archiveJobs(world);
  const deadline = !isEndRequested && hangs && job ? jobDeadline(world, job) : undefined;
  const seconds = isEndRequested ? LIMITS.endRequested : LIMITS.withoutFaults;
  const byDeadline = (deadline?.getTime() ?? 0) + LIMITS.afterDeadline * 1000;
  return new Date(Math.max(now.getTime() + seconds * 1000, byDeadline));
}

/**
 * One step of everything. The controller reconciles only after a change or when its requeue is due; if
 * neither applies, the clock advances to the next timer.
 */
async function step(world: JobWorld, end?: number): Promise<void> {
  const before = snapshotOf(world);
  stepOthers(world);
  const isChanged = snapshotOf(world) !== before;
  if (isChanged || world.requeue.isDue(world.now)) await world.reconcile();
  if (snapshotOf(world) !== before) {
    world.advance(1);
    return;
  }
  const next = nextTime(world) ?? (end === undefined ? undefined : new Date(end));
  expect(next, `a requeue or timer is pending at ${before}`).not.to.equal(undefined);
  world.now = new Date(Math.min(Math.max(Number(next), world.now.getTime()), end ?? Infinity));
}

/** Number of uploads whose state could not be determined. */
function abortFailures({ zipJob }: JobWorld): number {
  return (zipJob?.status?.attempts ?? []).reduce((sum, attempt) => sum + (attempt.abortFailures ?? 0), 0);
}

/** An attempt has ended, and what it or its recovery could not abort may be recorded only later. */
function hasEndedAttempt({ zipJob, processes }: JobWorld): boolean {
  return (
    isRecovering(zipJob?.status ?? {}) ||
    [...processes.values()].some(
      ({ isOver, pod }) => isOver && pod.metadata.uid === zipJob?.status?.job?.podUid,
    )
  );
}

/** Runs for this long, or until the job is done, with the faults that are set. */
export async function runFor(world: JobWorld, seconds: number): Promise<void> {
  const end = world.now.getTime() + seconds * 1000;
  while (world.now.getTime() < end && !isDone(world)) await step(world, end);
}

async function untilDone(world: JobWorld): Promise<void> {
  const limit = endBy(world);
  for (let steps = 0; steps < MAX_STEPS && world.now <= limit && !isDone(world); steps += 1)
    await step(world);
  const is = JSON.stringify(world.zipJob?.status);
  expect(isDone(world), `ends by ${limit.toISOString()}, not ${is}`).to.equal(true);
}

/** From now on, nothing fails by itself. */
export function endFaults(world: JobWorld): void {
  world.jobs.fail(undefined);
  world.killIn = Infinity;
  world.isFull = false;
  world.refusesPods = false;
  world.store.isDown = false;
  world.store.awayUntil = undefined;
  world.store.aborts = 'work';
  world.store.holdsComplete = false;
  world.lag(() => false);
  // The caches receive all missed changes.
  world.requeue.add(world.now, 0);
}

/** Runs without further faults: everything has to finish in time. */
export async function runToEnd(world: JobWorld): Promise<void> {
  endFaults(world);
  const failuresBefore = hasEndedAttempt(world) ? undefined : abortFailures(world);
  await untilDone(world);
  if (failuresBefore !== undefined && world.zipJob && world.buckets.all().length > 0)
    expect(abortFailures(world), 'recovery waits for a store that responds').to.equal(failuresBefore);
  for (let rounds = 0; rounds < LAST_ROUNDS; rounds += 1) await round(world);
  // A recovery Job ends by its own short deadline.
  const left = archiveJobs(world).filter((job) => !isJobFinished(job) && !jobFailure(job));
  expect(
    left.map(({ metadata }) => metadata.name),
    'no Job runs after the end',
  ).to.deep.equal([]);
}
