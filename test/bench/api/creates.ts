import { randomUUID } from 'node:crypto';
import { fileListSecretName, GROUP_VERSION, PLURALS, zipJobName } from '#crds/api-group.ts';
import { inParallel } from '#test/support/in-parallel.ts';
import { median } from '../bench-result.ts';
import { atRate, quantile, type Rate } from '../rates.ts';
import type { ApiWorld } from './api-world.ts';

const AT_ONCE = 32;
const FILES = 10;

/** A request for ten files with presigned URLs. */
function requestBody({ project }: ApiWorld): string {
  const signature = 'a'.repeat(400);
  const urls = Array.from({ length: FILES }, (_, index) => ({
    url: `https://files.example.com/${index}?X-Amz-Signature=${signature}`,
    filename: `folder/${index}.bin`,
  }));
  const key = `archives/${randomUUID()}.zip`;
  return JSON.stringify({ bucket_name: project.bucketName, key, urls, metadata: { order: 1 } });
}

/** Creates a job through the API. */
export async function post(world: ApiWorld): Promise<void> {
  const status = await world.ask({ method: 'POST', path: '/v1/zips', body: requestBody(world) });
  if (status !== 201) throw new Error(`POST /v1/zips returned ${status}`);
}

interface Stored {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: {
    readonly name: string;
    readonly labels?: object;
    readonly annotations?: object;
    readonly finalizers?: readonly string[];
    readonly ownerReferences?: readonly { readonly name: string }[];
  };
  readonly spec?: { readonly filesFrom?: object };
  readonly data?: object;
  readonly type?: string;
  readonly immutable?: boolean;
}

function paths({ project: { namespace } }: ApiWorld) {
  return {
    jobs: `/apis/${GROUP_VERSION}/namespaces/${namespace}/${PLURALS.ZipJob}`,
    secrets: `/api/v1/namespaces/${namespace}/secrets`,
  };
}

/** A ZipJob and the Secret with its list. */
export interface Template {
  readonly job: Stored;
  readonly secret: Stored;
}

/** The objects that the API creates for a request, as sent to the API server. */
export async function readTemplate(world: ApiWorld): Promise<Template> {
  const { jobs, secrets } = paths(world);
  const before = new Set(
    (await world.admin.get<{ items: Stored[] }>(secrets)).items.map(({ metadata }) => metadata.name),
  );
  await post(world);
  const { items } = await world.admin.get<{ items: Stored[] }>(secrets);
  const secret = items.find(({ metadata }) => !before.has(metadata.name));
  const owner = secret?.metadata.ownerReferences?.[0]?.name ?? '';
  const job = await world.admin.get<Stored>(`${jobs}/${owner}`);
  if (secret === undefined) throw new Error('the API created no Secret');
  const { labels, annotations, finalizers } = job.metadata;
  return {
    job: {
      ...job,
      metadata: {
        name: '',
        ...(labels && { labels }),
        ...(annotations && { annotations }),
        ...(finalizers && { finalizers }),
      },
    },
    secret: { ...secret, apiVersion: 'v1', kind: 'Secret' },
  };
}

/** Creates the same two objects without the API: the job, then the list that it owns. */
export async function createStraight(
  world: ApiWorld,
  { job, secret }: Template,
  create = world.createStraight,
): Promise<void> {
  const { jobs, secrets } = paths(world);
  const name = zipJobName(randomUUID());
  const list = fileListSecretName(name, 0);
  const made = (await create(jobs, {
    ...job,
    metadata: { ...job.metadata, name },
    spec: { ...job.spec, filesFrom: { ...job.spec?.filesFrom, secretNames: [list] } },
  })) as { readonly metadata: { readonly uid: string } };
  const { ownerReferences = [], labels } = secret.metadata;
  await create(secrets, {
    ...secret,
    metadata: {
      name: list,
      ...(labels && { labels }),
      ownerReferences: ownerReferences.map((owner) => ({ ...owner, name, uid: made.metadata.uid })),
    },
  });
}

async function perSecond(count: number, task: () => Promise<void>): Promise<number> {
  const startedAt = performance.now();
  await inParallel(count, AT_ONCE, task);
  return (count * 1000) / (performance.now() - startedAt);
}

/** Creates per second. */
export interface Throughput {
  readonly throughApi: number;
  readonly straight: number;
  /** With the account of the API. */
  readonly asApi: number;
}

/** Alternates between creating through the API and directly, 32 requests at a time. */
export async function measureThroughput(
  world: ApiWorld,
  template: Template,
  { count, rounds }: { readonly count: number; readonly rounds: number },
): Promise<Throughput> {
  const throughApi: number[] = [];
  const straight: number[] = [];
  const asApi: number[] = [];
  for (let round = 0; round < rounds; round += 1) {
    straight.push(await perSecond(count, () => createStraight(world, template)));
    throughApi.push(await perSecond(count, () => post(world)));
    asApi.push(await perSecond(count, () => createStraight(world, template, world.createAsApi)));
  }
  return { throughApi: median(throughApi), straight: median(straight), asApi: median(asApi) };
}

export interface Latency {
  readonly p50: number;
  readonly p99: number;
  /** Requests without a response or with an unexpected one; their times count as well. */
  readonly failed: number;
}

/** From the moment at which each request was due, so that the time in a queue counts. */
export async function latencyAtRate(rate: Rate, task: () => Promise<void>): Promise<Latency> {
  const times: number[] = [];
  let failed = 0;
  await atRate(rate, async (_, dueMs) => {
    await task().catch(() => {
      failed += 1;
    });
    times.push(performance.now() - dueMs);
  });
  return { p50: quantile(times, 0.5), p99: quantile(times, 0.99), failed };
}
