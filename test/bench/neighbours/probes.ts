import { zipJobName } from '#crds/api-group.ts';
import { uuidOfName } from '#crds/zip-job-facts.ts';
import { putFinishedJobs } from '#test/support/builders/finished-jobs.ts';
import { askApi, postJob } from '#test/support/clients/api-client.ts';
import { followObjects } from '#test/support/clients/follow-objects.ts';
import type { KubeUser } from '#test/support/clients/kube-user.ts';
import { deliveryId, type WebhookReceiver } from '#test/support/servers/webhook-receiver.ts';
import { until } from '#test/support/until.ts';
import type { Project } from '#test/support/worlds/project.ts';
import type { KubeApi } from '#tools/local-cluster/kube-api.ts';
import { atRate } from '../rates.ts';

export const MEASURES = ['POST', 'GET', 'job start', 'webhook'] as const;
export type Times = Readonly<Record<(typeof MEASURES)[number], readonly number[]>>;

export interface ProbeDeps {
  readonly baseUrl: string;
  readonly project: Project;
  readonly api: KubeApi;
  readonly admin: KubeUser;
  readonly receiver: WebhookReceiver;
}

const POSTS_PER_SECOND = 4;
const GETS_PER_SECOND = 10;
const WEBHOOKS_PER_SECOND = 2;
const LIMIT_MS = 120_000;

async function posts({ baseUrl, project, api }: ProbeDeps, seconds: number) {
  const postTimes: number[] = [];
  const respondedAt = new Map<string, number>();
  const path = `/apis/batch/v1/namespaces/${project.namespace}/jobs`;
  function nameAt({ metadata }: { readonly metadata: { readonly name: string } }) {
    return {
      name: metadata.name,
      atMs: performance.now(),
    };
  }
  using jobs = await followObjects(api, path, nameAt);
  await atRate({ count: seconds * POSTS_PER_SECOND, perSecond: POSTS_PER_SECOND }, async (index, dueMs) => {
    const uuid = await postJob(baseUrl, project.token, {
      bucket_name: project.bucketName,
      key: `${dueMs}-${index}.zip`,
      urls: [{ url: 'https://files.example.com/a', filename: 'a' }],
    });
    postTimes.push(performance.now() - dueMs);
    respondedAt.set(zipJobName(uuid), performance.now());
  });
  function started(): ReadonlyMap<string, number> {
    return new Map(
      jobs.events.filter(({ type }) => type === 'ADDED').map(({ object }) => [object.name, object.atMs]),
    );
  }
  function isStarted(): boolean {
    const found = started();
    return [...respondedAt.keys()].every((name) => found.has(name));
  }
  await until('every job to start', isStarted, { limitMs: LIMIT_MS });
  const found = started();
  return {
    POST: postTimes,
    'job start': [...respondedAt].map(([name, atMs]) => Math.max(0, (found.get(name) ?? Infinity) - atMs)),
  };
}

async function gets({ baseUrl, project }: ProbeDeps, seconds: number): Promise<readonly number[]> {
  const times: number[] = [];
  const path = '/v1/zips/00000000-0000-4000-8000-000000000000';
  await atRate({ count: seconds * GETS_PER_SECOND, perSecond: GETS_PER_SECOND }, async (_, dueMs) => {
    const { status } = await askApi(baseUrl, { path, token: project.token });
    if (status !== 404) throw new Error(`GET ${path} returned ${status}`);
    times.push(performance.now() - dueMs);
  });
  return times;
}

async function webhooks(
  { admin, project, receiver }: ProbeDeps,
  seconds: number,
): Promise<readonly number[]> {
  const { namespace, bucketName } = project;
  const times: number[] = [];
  const rate = { count: seconds * WEBHOOKS_PER_SECOND, perSecond: WEBHOOKS_PER_SECOND };
  await atRate(rate, async () => {
    const [due] = await putFinishedJobs(admin, { namespace, bucketName, count: 1, url: () => receiver.url });
    if (due === undefined) return;
    const [name, dueMs] = due;
    const id = `msg_${uuidOfName(name)}_COMPLETED`;
    const { at } = await receiver.next((delivery) => deliveryId(delivery) === id, LIMIT_MS);
    times.push(Math.max(0, at - performance.timeOrigin - dueMs));
  });
  return times;
}

/** The response times of a well-behaved project for some seconds. The caller deletes its jobs. */
export async function probe(deps: ProbeDeps, seconds: number): Promise<Times> {
  const [created, read, delivered] = await Promise.all([
    posts(deps, seconds),
    gets(deps, seconds),
    webhooks(deps, seconds),
  ]);
  return { ...created, GET: read, webhook: delivered };
}
