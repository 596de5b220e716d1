/** Posts the jobs of a schedule. */
import { createHash, randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { generatedBytes } from '#test/support/builders/generated-bytes.ts';
import { askApi } from '#test/support/clients/api-client.ts';
import { until } from '#test/support/until.ts';
import type { ChaosWorld } from './chaos-world.ts';
import type { JobKind, Plan, PlannedJob } from './plan.ts';
import { resumingEntries, resumingNames, resumingOptions, resumingSources } from './resuming-files.ts';

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

/** `refused`: correctly, because its bucket is being deleted. `not accepted`: no attempt was accepted in time. */
export type Post = PostedJob | { readonly kind: JobKind; readonly end: 'refused' | 'not accepted' };

/** Longer than the history database is away, because until then the API refuses requests with an idempotency key. */
const POST_LIMIT_MS = 200_000;
/** Longer than the API takes for any response. */
const RESPONSE_LIMIT_MS = 30_000;
const NAMES = ['first', 'second'] as const;

function seedOf(index: number, file: number): number {
  return index * NAMES.length + file + 1;
}

function sha256(bytes: Buffer): string {
  return createHash('sha256').update(bytes).digest('hex');
}

/** Name and SHA-256 of each expected entry in the archive of a job. */
export function expectedOf({ index, bytes, variant }: NumberedJob): Readonly<Record<string, string>> {
  if (variant !== undefined) return resumingEntries(variant);
  return Object.fromEntries(
    NAMES.map((name, file) => [name, sha256(generatedBytes(bytes, seedOf(index, file)))]),
  );
}

/** Paths of the files at the source. */
export function sourcesOf({ kind, bytes, index, variant, key }: NumberedJob): readonly string[] {
  if (variant !== undefined) return resumingSources(variant, key);
  const slowly = kind === 'slow' || kind === 'cancelled' || kind === 'deleted';
  const [one, two] = [seedOf(index, 0), seedOf(index, 1)];
  const first = slowly ? `/drip/${Math.ceil(bytes / 10)}/200/${bytes}/${one}` : `/gen/${bytes}/${one}`;
  const second = kind === 'missing' ? '/status/404' : `/gen/${bytes}/${two}`;
  return [first, second];
}

/** Adds keys to the jobs of a plan, and stores the earlier objects at these keys before all faults. */
export async function prepareJobs(
  { project }: ChaosWorld,
  { jobs }: Plan,
  prefix: string,
): Promise<readonly NumberedJob[]> {
  const numbered = jobs.map((job, index) => ({
    ...job,
    index,
    key: `${prefix}/${job.sharesKey ? 'shared' : randomUUID()}.zip`,
  }));
  const replacing = numbered.filter(({ kind }) => kind === 'replacing');
  await Promise.all(replacing.map(({ key }) => project.bucket.put(key, OLDER)));
  return numbered;
}

/** Posts like a client that retries until it succeeds, with one idempotency key. */
export async function postPlanned(world: ChaosWorld, planned: NumberedJob): Promise<Post> {
  const { project, history } = world;
  const { key, variant } = planned;
  const names = variant === undefined ? NAMES : resumingNames(variant);
  const urls = sourcesOf(planned).map((path, file) => ({
    url: world.sourceUrl(path),
    filename: names[file],
  }));
  const options = variant === undefined ? {} : resumingOptions(variant);
  const body = JSON.stringify({ bucket_name: project.bucketName, key, urls, ...options });
  const idempotencyKey = randomUUID();
  await delay(planned.postAfterMs);
  async function send(): Promise<string | undefined> {
    const response = await askApi(await world.apiUrl(), {
      method: 'POST',
      path: '/v1/zips',
      token: project.token,
      headers: { 'idempotency-key': idempotencyKey },
      body,
      signal: AbortSignal.timeout(RESPONSE_LIMIT_MS),
    });
    history.note(`POST ${planned.index} returned ${response.status} ${response.body.error?.code ?? ''}`);
    // Until the end of the schedule.
    if (response.status === 404 && world.ownBucket.isDeleted) return 'refused';
    return response.body.data?.uuid;
  }
  const limits = { limitMs: POST_LIMIT_MS, intervalMs: 300 };
  const uuid = await until('the API to accept a job', send, limits).catch((error: unknown) => {
    history.note(`POST ${planned.index} was given up: ${String(error)}`);
    return 'not accepted' as const;
  });
  if (uuid === 'not accepted' || uuid === 'refused') return { kind: planned.kind, end: uuid };
  history.note(`accepted ${planned.kind} ${uuid} ${key}`);
  return { ...planned, uuid };
}
