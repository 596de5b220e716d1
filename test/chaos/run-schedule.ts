/** One schedule: its jobs, its faults, and the judgement over what was seen. */
import { createHash, randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { GROUP_VERSION, PLURALS } from '#crds/api-group.ts';
import { isFinished } from '#crds/zip-job.ts';
import { KubeApiError } from '../cluster/kube-api.ts';
import { askApi } from '../support/api-client.ts';
import { generatedBytes } from '../support/generated-bytes.ts';
import { until } from '../support/until.ts';
import { zipEntries } from '../support/zip-entries.ts';
import type { ChaosWorld } from './chaos-world.ts';
import { checkHistory, type JobOutcome, type Violation } from './check-history.ts';
import type { Seen } from './history.ts';
import { startFault } from './live-faults.ts';
import type { Plan, PlannedJob } from './plan.ts';

export interface ScheduleReport {
  readonly violations: readonly Violation[];
  readonly seen: readonly Seen[];
  /** How many jobs ended in which phase. */
  readonly ends: Readonly<Record<string, number>>;
  readonly seconds: number;
  /** How many processes were killed. */
  readonly kills: number;
}

/** All jobs have to be over, and all webhooks told, so long after the last fault. */
const END_LIMIT_MS = 120_000;
const POST_LIMIT_MS = 60_000;
const SWEEP_LIMIT_MS = 15_000;
const OLDER = Buffer.from('this stood at the key before');

interface PostedJob extends PlannedJob {
  readonly uuid: string;
  readonly key: string;
}

const sha256 = (bytes: Buffer): string => createHash('sha256').update(bytes).digest('hex');

const filesOf = (world: ChaosWorld, { kind, bytes }: PlannedJob): { url: string; filename: string }[] => {
  const slowly = kind === 'slow' || kind === 'cancelled';
  const first = slowly ? `/drip/${Math.ceil(bytes / 10)}/200/${bytes}/1` : `/gen/${bytes}/1`;
  const second = kind === 'missing' ? '/status/404' : `/gen/${bytes}/2`;
  return [
    { url: world.origin.url(first), filename: 'first' },
    { url: world.origin.url(second), filename: 'second' },
  ];
};

const entriesOf = async (archive: Buffer): Promise<Readonly<Record<string, string>>> => {
  const entries = await zipEntries(archive);
  return Object.fromEntries(entries.map(({ name, content }) => [name, sha256(content)]));
};

/**
 * Posts as a client does that does not give up. A try that was answered by an error may have left a job that waits for its
 * file list, and jobs of one key take turns: so each try names another key.
 */
const post = async (world: ChaosWorld, planned: PlannedJob, prefix: string): Promise<PostedJob> => {
  const { project, history } = world;
  const url = await world.apiUrl();
  const send = async (): Promise<PostedJob | false> => {
    const key = `${prefix}/${randomUUID()}.zip`;
    if (planned.kind === 'replacing') await project.bucket.put(key, OLDER);
    const answer = await askApi(url, {
      method: 'POST',
      path: '/v1/zips',
      token: project.token,
      body: JSON.stringify({ bucket_name: project.bucketName, key, urls: filesOf(world, planned) }),
    });
    const uuid = answer.body.data?.uuid;
    if (uuid !== undefined) return { ...planned, uuid, key };
    history.note(`POST answered ${answer.status}`);
    return false;
  };
  const posted = await until('the API to accept a job', send, { limitMs: POST_LIMIT_MS, intervalMs: 300 });
  history.note(`accepted ${planned.kind} ${posted.uuid} ${posted.key}`);
  return posted;
};

const cancel = async (world: ChaosWorld, { uuid, cancelAfterMs }: PostedJob): Promise<void> => {
  await delay(cancelAfterMs);
  const patch = JSON.stringify({ spec: { cancel: true } });
  const { namespace } = world.project;
  world.history.note(`cancel ${uuid}`);
  await world.cluster.kubectl([
    'patch',
    '-n',
    namespace,
    'zipjob',
    `zip-${uuid}`,
    '--type=merge',
    '-p',
    patch,
  ]);
};

/** Some deletions come too late, which is no fault. */
const ignoreLate = (error: unknown): void => {
  const isLate =
    (error instanceof KubeApiError && error.code === 404) ||
    (error instanceof Error && error.name === 'AbortError');
  if (!isLate) throw error;
};

const untilQuiet = (world: ChaosWorld, jobs: readonly PostedJob[]): Promise<boolean> =>
  until(
    'every job to end and every webhook to be told',
    async () => {
      const names = new Set(jobs.map(({ uuid }) => `zip-${uuid}`));
      const found = (await world.zipJobs()).filter(({ metadata }) => names.has(metadata.name));
      return found.every((job) => isFinished(job) && job.status?.webhook?.state !== 'Pending');
    },
    { limitMs: END_LIMIT_MS, intervalMs: 200 },
  );

/** Asked by its key: a bucket of thousands of schedules is listed in pages. */
const objectAt = async (world: ChaosWorld, key: string): Promise<JobOutcome['object']> => {
  const bytes = await world.project.bucket.bytes(key).catch((error: unknown) => {
    if (error instanceof Error && error.name === 'NoSuchKey') return undefined;
    throw error;
  });
  if (bytes === undefined) return 'nothing';
  return bytes.equals(OLDER) ? 'older' : entriesOf(bytes);
};

const outcomeOf = async (world: ChaosWorld, job: PostedJob): Promise<JobOutcome> => {
  const expected = { first: 1, second: 2 };
  return {
    uuid: job.uuid,
    key: job.key,
    object: await objectAt(world, job.key),
    expected: Object.fromEntries(
      Object.entries(expected).map(([name, seed]) => [name, sha256(generatedBytes(job.bytes, seed))]),
    ),
    jobsDeleted: world.history.seen.filter(
      (one) => one.kind === 'note' && one.text === `delete jobs/zip-${job.uuid}`,
    ).length,
  };
};

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
  const acts = Promise.all(faults.flatMap((fault) => fault.act?.(over.signal).catch(ignoreLate) ?? []));
  try {
    await jobs;
  } finally {
    over.abort();
    await acts;
    world.judgeBy(undefined);
  }
};

/** Runs it to its end. @throws Error when the world itself does not work. */
export const runSchedule = async (world: ChaosWorld, plan: Plan): Promise<ScheduleReport> => {
  const started = performance.now();
  const { history, project } = world;
  history.clear();
  const prefix = `${plan.seed}-${randomUUID().slice(0, 8)}`;
  const posting = Promise.all(plan.jobs.map((job) => post(world, job, prefix)));
  const work = async (): Promise<void> => {
    const jobs = await posting;
    await Promise.all(jobs.filter(({ kind }) => kind === 'cancelled').map((job) => cancel(world, job)));
    // What does not end is for the checker to tell.
    await untilQuiet(world, jobs).catch((error: unknown) => history.note(String(error)));
  };
  await runFaults(world, plan, work());
  const jobs = await posting;
  const openUploads = async (): Promise<readonly string[]> =>
    (await project.bucket.openUploadKeys()).filter((key) => key.startsWith(prefix));
  await until('no upload to be open', async () => (await openUploads()).length === 0, {
    limitMs: SWEEP_LIMIT_MS,
    intervalMs: 500,
  }).catch(() => undefined);
  const outcomes = await Promise.all(jobs.map((job) => outcomeOf(world, job)));
  const seen = [...history.seen];
  const violations = checkHistory(seen, { jobs: outcomes, openUploads: await openUploads() });
  const names = new Set(jobs.map(({ uuid }) => `zip-${uuid}`));
  const ended = (await world.zipJobs()).filter(({ metadata }) => names.has(metadata.name));
  for (const name of names) await world.remove(`apis/${GROUP_VERSION}`, PLURALS.ZipJob, name);
  const ends = Object.groupBy(ended, ({ status }) => `${status?.phase} ${status?.reason ?? ''}`);
  return {
    violations,
    seen,
    ends: Object.fromEntries(Object.entries(ends).map(([end, list = []]) => [end, list.length])),
    kills: seen.filter((one) => one.kind === 'note' && one.text.startsWith('SIGKILL')).length,
    seconds: (performance.now() - started) / 1000,
  };
};
