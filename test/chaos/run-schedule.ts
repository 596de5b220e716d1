/** Runs one schedule: its jobs, its faults, and the check of its history. */
import { createHash, randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { GROUP_VERSION, PLURALS, zipJobName } from '#crds/api-group.ts';
import { isFinished, type ZipJob } from '#crds/zip-job.ts';
import { zipEntries } from '#test/support/archives/zip-entries.ts';
import { until } from '#test/support/until.ts';
import type { ChaosWorld } from './chaos-world.ts';
import { checkHistory } from './check-history.ts';
import type { JobOutcome } from './check-job.ts';
import { clearWorld } from './clear-world.ts';
import type { Seen } from './history.ts';
import type { LiveFault } from './live-fault.ts';
import { startFault } from './live-faults.ts';
import type { Plan } from './plan.ts';
import { pollResponses } from './poll-responses.ts';
import { contentsOf, OLDER, type Post, type PostedJob, postPlanned, prepareJobs } from './post-planned.ts';
import { ignoreTargetGone, isTargetGone } from './target-gone.ts';
import type { Violation } from './violation.ts';

export interface ScheduleReport {
  readonly violations: readonly Violation[];
  readonly seen: readonly Seen[];
  /** Number of jobs by phase at the end. */
  readonly ends: Readonly<Record<string, number>>;
  readonly seconds: number;
  /** Number of killed processes. */
  readonly kills: number;
  /** Number of webhook deliveries; the published verifiers had to accept each of them. */
  readonly deliveries: number;
}

/** All jobs and webhooks have to finish within this time after the last POST. */
const END_LIMIT_MS = 120_000;
/** After that, the schedule ends when no job has changed for this time, */
const NO_CHANGE_LIMIT_MS = 120_000;
/** or at this time in any case. */
const MOST_MS = 600_000;
/** One full cleanup interval of the controller as installed, after which nothing may be left open. */
const SWEEP_LIMIT_MS = 60_000;

const NOT_ACCEPTED: Violation = { rule: 'H5', text: 'a job was not accepted after all retries' };

const sha256 = (bytes: Buffer): string => createHash('sha256').update(bytes).digest('hex');

const entriesOf = async (archive: Buffer): Promise<Readonly<Record<string, string>>> => {
  const entries = await zipEntries(archive);
  return Object.fromEntries(entries.map(({ name, content }) => [name, sha256(content)]));
};

/** Cancels or deletes a running job, depending on its kind. */
const stop = async (world: ChaosWorld, { uuid, kind, stopAfterMs }: PostedJob): Promise<void> => {
  if (kind !== 'cancelled' && kind !== 'deleted') return;
  await delay(stopAfterMs);
  if (kind === 'deleted')
    return world.remove(`apis/${GROUP_VERSION}`, PLURALS.ZipJob, zipJobName(uuid)).catch(ignoreTargetGone);
  world.history.note(`cancel ${uuid}`);
  await until('the job to be cancelled', () => world.cancel(zipJobName(uuid)), { intervalMs: 300 });
};

const isFinishedJob = (job: ZipJob, posted: PostedJob): boolean =>
  posted.kind !== 'deleted' && isFinished(job) && job.status?.webhook?.state !== 'Pending';

/** The time of the last change of any job of the schedule. */
const lastChangeAt = ({ seen }: ChaosWorld['history'], names: ReadonlyMap<string, unknown>): number =>
  seen.findLast((one) => one.kind === 'zip-job' && names.has(one.name))?.at ?? 0;

/** @throws Error after the timeout, which is extended on a slow machine as long as the jobs change. */
const untilAllFinished = async (world: ChaosWorld, jobs: readonly PostedJob[]): Promise<void> => {
  const posted = new Map(jobs.map((job) => [zipJobName(job.uuid), job]));
  const started = performance.now();
  const isOver = (): boolean => {
    const now = performance.now();
    const isUnchanged = now - lastChangeAt(world.history, posted) > NO_CHANGE_LIMIT_MS;
    return now - started > MOST_MS || (now - started > END_LIMIT_MS && isUnchanged);
  };
  const areAllFinished = async (): Promise<boolean> =>
    (await world.zipJobs()).every((job) => {
      const known = posted.get(job.metadata.name);
      return known === undefined || isFinishedJob(job, known);
    });
  await until(
    'every job to finish and every webhook to be delivered',
    async () => (await areAllFinished()) || (isOver() && 'over'),
    { limitMs: MOST_MS + END_LIMIT_MS, intervalMs: 200 },
  ).then((end) => {
    if (end === 'over') throw new Error('the jobs did not finish, or their webhooks were not delivered');
  });
};

/** Listed by key: the bucket of thousands of schedules has many pages. */
const objectAt = async (world: ChaosWorld, key: string): Promise<JobOutcome['object']> => {
  const bytes = await world.project.bucket.bytes(key).catch((error: unknown) => {
    if (error instanceof Error && error.name === 'NoSuchKey') return undefined;
    throw error;
  });
  if (bytes === undefined) return 'nothing';
  return bytes.equals(OLDER) ? 'older' : entriesOf(bytes);
};

const outcomeOf = async (world: ChaosWorld, job: PostedJob): Promise<JobOutcome> => ({
  uuid: job.uuid,
  key: job.key,
  before: job.kind === 'replacing' ? 'older' : 'nothing',
  object: await objectAt(world, job.key),
  expected: Object.fromEntries(contentsOf(job).map(({ name, bytes }) => [name, sha256(bytes)])),
  isDeleted: job.kind === 'deleted',
  jobsDeleted: world.history.seen.filter(
    (one) => one.kind === 'note' && one.text === `delete jobs/${zipJobName(job.uuid)}`,
  ).length,
});

const runFaults = async (world: ChaosWorld, plan: Plan, jobs: Promise<unknown>): Promise<void> => {
  const faults = plan.faults.map((fault) => startFault(world, fault));
  world.judgeBy((place, request) => {
    for (const fault of faults) {
      const action = fault.judge?.(place, request);
      if (action !== undefined) return action;
    }
    return undefined;
  });
  const over = new AbortController();
  const act = async ({ act: happen }: LiveFault): Promise<void> => {
    await happen?.(over.signal).catch((error: unknown) => {
      if (!isTargetGone(error)) world.history.note(`a fault failed: ${String(error)}`);
    });
  };
  const acts = Promise.all(faults.map(act));
  try {
    await jobs;
  } finally {
    over.abort();
    await acts;
    world.judgeBy(undefined);
  }
};

/** Uploads to the keys of a schedule that are still open after the cleanup. */
const leftOpen = async ({ project }: ChaosWorld, prefix: string): Promise<readonly string[]> => {
  const find = async (): Promise<readonly string[]> =>
    (await project.bucket.openUploadKeys()).filter((key) => key.startsWith(prefix));
  await until('no upload to be open', async () => (await find()).length === 0, {
    limitMs: SWEEP_LIMIT_MS,
    intervalMs: 500,
  }).catch(() => undefined);
  return find();
};

/** Number of jobs by phase and reason. */
const endsOf = async (world: ChaosWorld, jobs: readonly PostedJob[]): Promise<Record<string, number>> => {
  const names = new Set(jobs.map(({ uuid }) => zipJobName(uuid)));
  const left = (await world.zipJobs()).filter(({ metadata }) => names.has(metadata.name));
  const ends = Object.groupBy(left, ({ status }) => `${status?.phase} ${status?.reason ?? ''}`);
  return Object.fromEntries(Object.entries(ends).map(([end, list = []]) => [end, list.length]));
};

const clearAfter = (world: ChaosWorld): Promise<readonly Violation[]> =>
  clearWorld(world).then(
    () => [],
    (error: unknown) => [{ rule: 'F14', text: String(error) }],
  );

const acceptedOf = (posts: readonly Post[]): readonly PostedJob[] =>
  posts.filter((post) => typeof post !== 'string');

/**
 * Runs a schedule to its end.
 * @throws Error when the world itself does not work.
 */
export const runSchedule = async (world: ChaosWorld, plan: Plan): Promise<ScheduleReport> => {
  const started = performance.now();
  const { history } = world;
  await clearWorld(world);
  history.clear();
  world.webhookKeys.endRotation();
  const prefix = `${plan.seed}-${randomUUID().slice(0, 8)}`;
  const prepared = await prepareJobs(world, plan, prefix);
  const posting = Promise.all(prepared.map((job) => postPlanned(world, job)));
  const work = async (): Promise<void> => {
    const jobs = acceptedOf(await posting);
    const over = new AbortController();
    const polls = Promise.all(jobs.map(({ uuid }) => pollResponses(world, uuid, over.signal)));
    try {
      await Promise.all(jobs.map((job) => stop(world, job)));
      // The checker reports jobs that do not finish.
      await untilAllFinished(world, jobs).catch((error: unknown) => history.note(String(error)));
    } finally {
      over.abort();
      await polls;
    }
  };
  await runFaults(world, plan, work());
  const posts = await posting;
  const jobs = acceptedOf(posts);
  const openUploads = await leftOpen(world, prefix);
  const outcomes = await Promise.all(jobs.map((job) => outcomeOf(world, job)));
  const ends = await endsOf(world, jobs);
  const seen = [...history.seen];
  const violations = [
    ...checkHistory(seen, { jobs: outcomes, openUploads }),
    ...posts.filter((post) => post === 'given up').map(() => NOT_ACCEPTED),
    ...(await clearAfter(world)),
  ];
  return {
    violations,
    // The history as text, including what happened after the check.
    seen: [...history.seen],
    ends,
    kills: seen.filter((one) => one.kind === 'note' && one.text.startsWith('SIGKILL')).length,
    deliveries: seen.filter((one) => one.kind === 'exchange' && one.place === 'receiver').length,
    seconds: (performance.now() - started) / 1000,
  };
};
