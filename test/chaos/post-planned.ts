/** Posts the jobs of a schedule. */
import { randomUUID } from 'node:crypto';
import { generatedBytes } from '#test/support/builders/generated-bytes.ts';
import { askApi } from '#test/support/clients/api-client.ts';
import { until } from '#test/support/until.ts';
import type { ChaosWorld } from './chaos-world.ts';
import type { Plan, PlannedJob } from './plan.ts';

/** The earlier object at a key. */
export const OLDER = Buffer.from('the earlier object at the key');

export interface NumberedJob extends PlannedJob {
  /** Its index in the schedule; its files differ from those of other jobs. */
  readonly index: number;
  readonly key: string;
}

export interface PostedJob extends NumberedJob {
  readonly uuid: string;
}

/** `refused`: correctly, because its bucket is being deleted. `given up`: no attempt was accepted. */
export type Post = PostedJob | 'refused' | 'given up';

const POST_LIMIT_MS = 90_000;
/** Longer than the API takes for any response. */
const ANSWER_LIMIT_MS = 30_000;
const NAMES = ['first', 'second'] as const;
const seedOf = (index: number, file: number): number => index * NAMES.length + file + 1;

/** The expected files in the archive of a job. */
export const contentsOf = ({ index, bytes }: NumberedJob): readonly { name: string; bytes: Buffer }[] =>
  NAMES.map((name, file) => ({ name, bytes: generatedBytes(bytes, seedOf(index, file)) }));

const filesOf = (
  world: ChaosWorld,
  { kind, bytes, index }: NumberedJob,
): readonly { url: string; filename: string }[] => {
  const slowly = kind === 'slow' || kind === 'cancelled' || kind === 'deleted';
  const [one, two] = [seedOf(index, 0), seedOf(index, 1)];
  const first = slowly ? `/drip/${Math.ceil(bytes / 10)}/200/${bytes}/${one}` : `/gen/${bytes}/${one}`;
  const second = kind === 'missing' ? '/status/404' : `/gen/${bytes}/${two}`;
  return [
    { url: world.sourceUrl(first), filename: NAMES[0] },
    { url: world.sourceUrl(second), filename: NAMES[1] },
  ];
};

/** Adds keys to the jobs of a plan, and stores the earlier objects at these keys before all faults. */
export const prepareJobs = async (
  { project }: ChaosWorld,
  { jobs }: Plan,
  prefix: string,
): Promise<readonly NumberedJob[]> => {
  const numbered = jobs.map((job, index) => ({
    ...job,
    index,
    key: `${prefix}/${job.sharesKey ? 'shared' : randomUUID()}.zip`,
  }));
  const replacing = numbered.filter(({ kind }) => kind === 'replacing');
  await Promise.all(replacing.map(({ key }) => project.bucket.put(key, OLDER)));
  return numbered;
};

/** Posts like a client that retries until it succeeds, with one idempotency key. */
export const postPlanned = async (world: ChaosWorld, planned: NumberedJob): Promise<Post> => {
  const { project, history } = world;
  const { key } = planned;
  const body = JSON.stringify({ bucket_name: project.bucketName, key, urls: filesOf(world, planned) });
  const idempotencyKey = randomUUID();
  const send = async (): Promise<string | undefined> => {
    const response = await askApi(await world.apiUrl(), {
      method: 'POST',
      path: '/v1/zips',
      token: project.token,
      headers: { 'idempotency-key': idempotencyKey },
      body,
      signal: AbortSignal.timeout(ANSWER_LIMIT_MS),
    });
    history.note(`POST ${planned.index} returned ${response.status} ${response.body.error?.code ?? ''}`);
    // Until the end of the schedule.
    if (response.status === 404 && world.ownBucket.isDeleted) return 'refused';
    return response.body.data?.uuid;
  };
  const limits = { limitMs: POST_LIMIT_MS, intervalMs: 300 };
  const uuid = await until('the API to accept a job', send, limits).catch((error: unknown) => {
    history.note(`POST ${planned.index} was given up: ${String(error)}`);
    return 'given up';
  });
  if (uuid === 'given up' || uuid === 'refused') return uuid;
  history.note(`accepted ${planned.kind} ${uuid} ${key}`);
  return { ...planned, uuid };
};
