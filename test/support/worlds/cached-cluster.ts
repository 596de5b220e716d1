/** A controller whose caches have the objects of a cluster in which nothing runs. */
import type { PassThrough } from 'node:stream';
import { Registry } from 'prom-client';
import type { Parts } from '#controller/wiring/wiring.ts';
import type { Observation } from '#controller/zip-job/observation.ts';
import { createObserve } from '#controller/zip-job/observe.ts';
import type { ObjectMeta } from '#crds/object-meta.ts';
import type { ZipBucket } from '#crds/zip-bucket.ts';
import type { ZipJob } from '#crds/zip-job.ts';
import type { ZipProject } from '#crds/zip-project.ts';
import type { Job, Pod } from '#runtime/kube/resources.ts';
import type { ObjectKey } from '#runtime/kube/types.ts';
import { fixedKube } from '../builders/fixed-kube.ts';
import { fixedParts } from '../builders/fixed-parts.ts';
import { aZipBucket, aZipProject } from '../builders/objects.ts';

/** The lists of each kind. */
export interface CachedCluster {
  readonly zipJobs: readonly ZipJob[];
  readonly jobs?: readonly Job[];
  readonly pods?: readonly Pod[];
  /** Default: one bucket and one project, of the usual namespace. */
  readonly buckets?: readonly ZipBucket[];
  readonly projects?: readonly ZipProject[];
}

export interface CachedWorld {
  readonly parts: Parts;
  readonly registry: Registry;
  /** Sends an event of this kind to the caches. */
  readonly send: (
    plural: string,
    type: 'ADDED' | 'MODIFIED' | 'DELETED',
    object: Pod | ZipBucket | ZipJob | ZipProject,
  ) => void;
}

async function start(
  cluster: CachedCluster,
  { resources, stopping }: { readonly resources: AsyncDisposableStack; readonly stopping: AbortSignal },
): Promise<CachedWorld> {
  const watches = new Map<string, PassThrough>();
  function list(objects: readonly object[] = []) {
    return {
      count: objects.length,
      build: (n: number): object => objects[n] ?? {},
    };
  }
  const kube = fixedKube(
    {
      zipjobs: list(cluster.zipJobs),
      jobs: list(cluster.jobs),
      pods: list(cluster.pods),
      zipbuckets: list(cluster.buckets ?? [aZipBucket()]),
      zipprojects: list(cluster.projects ?? [aZipProject()]),
    },
    (plural, body) => watches.set(plural, body),
  );
  const registry = new Registry();
  const parts = fixedParts(kube, { resources, stopping, registry });
  const running = parts.watches.run(stopping);
  resources.defer(() => running);
  await parts.watches.synced(stopping);
  return {
    parts,
    registry,
    send: (plural, type, object) => {
      watches.get(plural)?.write(`${JSON.stringify({ type, object })}\n`);
    },
  };
}

/** Calls back with a controller whose caches have everything of the cluster. */
export async function withCachedCluster(
  cluster: CachedCluster,
  use: (world: CachedWorld) => Promise<void>,
): Promise<void> {
  await using resources = new AsyncDisposableStack();
  const stop = new AbortController();
  const world = await start(cluster, { resources, stopping: stop.signal });
  try {
    await use(world);
  } finally {
    stop.abort();
  }
}

/** What the controller reads of a job: from its caches, and from the API server only what is `live`. */
export async function observeCached(
  parts: Parts,
  key: ObjectKey,
  live: Partial<CachedCluster> = {},
): Promise<Observation> {
  function find<T extends { metadata: ObjectMeta }>(objects: readonly T[] = []) {
    return {
      get: (namespace: string, name: string) =>
        Promise.resolve(
          objects.find(({ metadata }) => metadata.namespace === namespace && metadata.name === name),
        ),
      list: ({ namespace }: { readonly namespace?: string } = {}) =>
        Promise.resolve(objects.filter(({ metadata }) => metadata.namespace === namespace)),
    };
  }
  const seen = await createObserve({
    ...parts,
    caches: parts.watches.caches,
    zipJobs: find(live.zipJobs),
    jobs: find(live.jobs),
    pods: find(live.pods),
    events: { list: () => Promise.resolve([]) },
    buckets: { get: () => Promise.resolve(undefined) },
    projects: { get: () => Promise.resolve(undefined) },
  })(key, {});
  if (!seen) throw new Error(`${key} is not in the cache`);
  return seen;
}
