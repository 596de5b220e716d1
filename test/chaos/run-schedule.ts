/** Runs one schedule: its jobs, its faults, and the check of its history. */
import { createHash, randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { GROUP_VERSION, PLURALS, zipJobName } from '#crds/api-group.ts';
import { isFinished, type ZipJob } from '#crds/zip-job.ts';
import { awaitsWebhookOrExit } from '#crds/zip-job-facts.ts';
import { zipEntries } from '#test/support/archives/zip-entries.ts';
import { until } from '#test/support/until.ts';
import type { ChaosWorld } from './chaos-world.ts';
import { checkHistory } from './check-history.ts';
import type { JobOutcome } from './check-job.ts';
import { archivesThatDiffer, type ResumeCounts } from './check-resumes.ts';
import { clearWorld } from './clear-world.ts';
import type { JobEnd } from './count-ends.ts';
import { violationsInArchive } from './follow-archive.ts';
import type { LiveFault } from './live-fault.ts';
import { startFault } from './live-faults.ts';
import type { Seen } from './observations.ts';
import type { Plan } from './plan.ts';
import { pollResponses } from './poll-responses.ts';
import {
  expectedOf,
  type NumberedJob,
  OLDER,
  type Post,
  type PostedJob,
  postPlanned,
  prepareJobs,
  sourcesOf,
} from './post-planned.ts';
import { ignoreTargetGone, isTargetGone } from './target-gone.ts';
import type { Violation } from './violation.ts';

export interface ScheduleReport {
  readonly violations: readonly Violation[];
  readonly seen: readonly Seen[];
  /** The end of each planned job. */
  readonly ends: readonly JobEnd[];
  readonly seconds: number;
  /** Number of killed processes. */
  readonly kills: number;
  /** Number of webhook deliveries; the published verifiers had to accept each of them. */
  readonly deliveries: number;
  /** Total size of the parts that were uploaded again. */
  readonly bytesTwice: number;
  readonly resumes: ResumeCounts;
}

/** All jobs, webhooks and pods have to finish within this time after the last POST. */
const END_LIMIT_MS = 120_000;
/** After that, the schedule ends when no job has changed for this time and the longest fault, */
const NO_CHANGE_LIMIT_MS = 120_000;
/** or at this time in any case. */
const MOST_MS = 600_000;
/** One full cleanup interval of the controller as installed, after which nothing may be left open. */
const SWEEP_LIMIT_MS = 60_000;

const NOT_ACCEPTED: Violation = { rule: 'H5', text: 'a job was not accepted after all retries' };

function sha256(bytes: Buffer): string {
  return createHash('sha256').update(bytes).digest('hex');
}

async function entriesOf(archive: Buffer): Promise<Readonly<Record<string, string>>> {
  const entries = await zipEntries(archive);
  return Object.fromEntries(entries.map(({ name, content }) => [name, sha256(content)]));
}

/** Cancels or deletes a running job, depending on its kind. */
async function stop(world: ChaosWorld, { uuid, kind, stopAfterMs }: PostedJob): Promise<void> {
  if (kind !== 'cancelled' && kind !== 'deleted') return;
  await delay(stopAfterMs);
  if (kind === 'deleted')
    return world.remove(`apis/${GROUP_VERSION}`, PLURALS.ZipJob, zipJobName(uuid)).catch(ignoreTargetGone);
  world.history.note(`cancel ${uuid}`);
  await until('the job to be cancelled', () => world.cancel(zipJobName(uuid)), { intervalMs: 300 });
}

function isFinishedJob(job: ZipJob, posted: PostedJob): boolean {
  return posted.kind !== 'deleted' && isFinished(job) && !awaitsWebhookOrExit(job);
}

/** The time of the last change of any job of the schedule. */
function lastChangeAt({ seen }: ChaosWorld['history'], names: ReadonlyMap<string, unknown>): number {
  return seen.findLast((one) => one.kind === 'zip-job' && names.has(one.name))?.at ?? 0;
}

/** @throws Error after the timeout, which is extended on a slow machine as long as the jobs change. */
async function untilAllFinished(
  world: ChaosWorld,
  { jobs, faults }: { readonly jobs: readonly PostedJob[]; readonly faults: Plan['faults'] },
): Promise<void> {
  const quietMs = NO_CHANGE_LIMIT_MS + Math.max(0, ...faults.map((fault) => ('ms' in fault ? fault.ms : 0)));
  const posted = new Map(jobs.map((job) => [zipJobName(job.uuid), job]));
  const started = performance.now();
  function isOver(): boolean {
    const now = performance.now();
    const isUnchanged = now - lastChangeAt(world.history, posted) > quietMs;
    return now - started > MOST_MS || (now - started > END_LIMIT_MS && isUnchanged);
  }
  async function areAllFinished(): Promise<boolean> {
    return (await world.zipJobs()).every((job) => {
      const known = posted.get(job.metadata.name);
      return known === undefined || isFinishedJob(job, known);
    });
  }
  await until(
    'every job to finish and every webhook to be delivered',
    async () => (await areAllFinished()) || (isOver() && 'over'),
    { limitMs: MOST_MS + END_LIMIT_MS, intervalMs: 1_000 },
  ).then((end) => {
    if (end === 'over') throw new Error('the jobs did not finish, or their webhooks were not delivered');
  });
}

/** Listed by key: the bucket of thousands of schedules has many pages. */
async function objectAt(
  world: ChaosWorld,
  key: string,
): Promise<Pick<JobOutcome, 'object'> & { readonly archive?: string }> {
  const bytes = await world.project.bucket.bytes(key).catch((error: unknown) => {
    if (error instanceof Error && error.name === 'NoSuchKey') return undefined;
    throw error;
  });
  if (bytes === undefined) return { object: 'nothing' };
  return bytes.equals(OLDER)
    ? { object: 'older' }
    : { object: await entriesOf(bytes), archive: sha256(bytes) };
}

async function outcomeOf(world: ChaosWorld, job: PostedJob): Promise<JobOutcome> {
  return {
    uuid: job.uuid,
    kind: job.kind,
    key: job.key,
    sources: sourcesOf(job),
    before: job.kind === 'replacing' ? 'older' : 'nothing',
    ...(await objectAt(world, job.key)),
    expected: expectedOf(job),
    variant: job.variant,
    jobsDeleted: world.history.seen.filter(
      (one) => one.kind === 'note' && one.text === `delete jobs/${zipJobName(job.uuid)}`,
    ).length,
  };
}

async function runFaults(world: ChaosWorld, plan: Plan, jobs: Promise<unknown>): Promise<void> {
  const faults = plan.faults.map((fault) => startFault(world, fault));
  world.judgeBy((place, request) => {
    for (const fault of faults) {
      const action = fault.judge?.(place, request);
      if (action !== undefined) return action;
    }
    return undefined;
  });
  const over = new AbortController();
  async function act({ act: happen }: LiveFault): Promise<void> {
    await happen?.(over.signal).catch((error: unknown) => {
      if (!isTargetGone(error)) world.history.note(`a fault failed: ${String(error)}`);
    });
  }
  const acts = Promise.all(faults.map(act));
  try {
    await jobs;
  } finally {
    over.abort();
    await acts;
    world.judgeBy(undefined);
  }
}

/** Uploads to the keys of a schedule that are still open after the cleanup. */
async function leftOpen({ project }: ChaosWorld, prefix: string): Promise<readonly string[]> {
  async function find(): Promise<readonly string[]> {
    return (await project.bucket.openUploadKeys()).filter((key) => key.startsWith(prefix));
  }
  await until('no upload to be open', async () => (await find()).length === 0, {
    limitMs: SWEEP_LIMIT_MS,
    intervalMs: 500,
  }).catch(() => undefined);
  return find();
}

function clearAfter(world: ChaosWorld): Promise<readonly Violation[]> {
  return clearWorld(world).then(
    () => [],
    (error: unknown) => [{ rule: 'F14', text: String(error) }],
  );
}

function acceptedOf(posts: readonly Post[]): readonly PostedJob[] {
  return posts.filter((post) => 'uuid' in post);
}

/** Requests of all clients together, so that many jobs do not load the machine more than a few. */
const POLLS_PER_SECOND = 5;
const MIN_POLL_MS = 700;

/** Posts the jobs, cancels and deletes some, and waits until all of them have finished. */
async function runJobs(
  world: ChaosWorld,
  { planned, faults }: { readonly planned: readonly NumberedJob[]; readonly faults: Plan['faults'] },
): Promise<readonly Post[]> {
  const over = new AbortController();
  const everyMs = Math.max(MIN_POLL_MS, (planned.length * 1000) / POLLS_PER_SECOND);
  const polls: Promise<void>[] = [];
  async function run(job: NumberedJob): Promise<Post> {
    const post = await postPlanned(world, job);
    if (!('uuid' in post)) return post;
    polls.push(pollResponses(world, post.uuid, { everyMs, signal: over.signal }));
    await stop(world, post);
    return post;
  }
  try {
    const posts = await Promise.all(planned.map(run));
    // The checker reports jobs that do not finish.
    await untilAllFinished(world, { jobs: acceptedOf(posts), faults }).catch((error: unknown) =>
      world.history.note(String(error)),
    );
    return posts;
  } finally {
    over.abort();
    await Promise.all(polls);
  }
}

/**
 * Runs a schedule to its end.
 * @throws Error when the world itself does not work.
 */
export async function runSchedule(world: ChaosWorld, plan: Plan): Promise<ScheduleReport> {
  const started = performance.now();
  const { history } = world;
  await clearWorld(world);
  history.clear();
  world.webhookKeys.endRotation();
  const prefix = `${plan.seed}-${randomUUID().slice(0, 8)}`;
  const prepared = await prepareJobs(world, plan, prefix);
  const working = runJobs(world, { planned: prepared, faults: plan.faults });
  await runFaults(world, plan, working);
  const posts = await working;
  const jobs = acceptedOf(posts);
  const openUploads = await leftOpen(world, prefix);
  const outcomes = await Promise.all(jobs.map((job) => outcomeOf(world, job)));
  const seen = [...history.seen];
  const others = posts.filter((post) => 'end' in post);
  const keys = prepared.map(({ key }) => key);
  const { ends, bytesTwice, resumes, ...checked } = checkHistory(seen, { jobs: outcomes, keys, openUploads });
  const violations = [
    ...checked.violations,
    ...others.filter(({ end }) => end === 'not accepted').map(() => NOT_ACCEPTED),
    ...archivesThatDiffer(world.archives, outcomes),
    ...(await clearAfter(world)),
    ...(await violationsInArchive(world, jobs)),
  ];
  return {
    violations,
    // The history as text, including what happened after the check.
    seen: [...history.seen],
    ends: [...ends, ...others],
    kills: seen.filter((one) => one.kind === 'note' && one.text.startsWith('SIGKILL')).length,
    deliveries: seen.filter((one) => one.kind === 'exchange' && one.place === 'receiver').length,
    bytesTwice,
    resumes,
    seconds: (performance.now() - started) / 1000,
  };
}
