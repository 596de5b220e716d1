import type { ZipBucket } from '#crds/zip-bucket.ts';
import type { ZipJob } from '#crds/zip-job.ts';
import type { ZipProject } from '#crds/zip-project.ts';
import type { ZipToken } from '#crds/zip-token.ts';
import type { KubeClient } from '#runtime/kube/client.ts';
import { keptAs } from '#runtime/kube/kept-as.ts';
import type { Indexers } from '#runtime/kube/object-cache.ts';
import { createReflector } from '#runtime/kube/reflector.ts';
import type { ReflectorMetrics } from '#runtime/kube/reflector-options.ts';
import { RESOURCES } from '#runtime/kube/resources.ts';
import type { Change, KubeObject, Reflector } from '#runtime/kube/types.ts';
import type { Logger } from '#runtime/log.ts';
import type { CachedJob } from './cached-job.ts';
import { UID_INDEX, uidIndex } from './find-zip-job.ts';
import { MASK_INDEX, maskIndex } from './tokens/token-candidates.ts';

/** Jobs by project, for the dashboard. */
export const NAMESPACE_INDEX = 'namespace';
export const namespaceIndex = ({ metadata }: KubeObject): readonly string[] => [metadata.namespace];

/** The objects of all projects that the API keeps in memory. */
export interface Caches<Job extends KubeObject = CachedJob> extends AsyncDisposable {
  readonly zipJobs: Reflector<Job>;
  readonly zipBuckets: Reflector<ZipBucket>;
  readonly zipTokens: Reflector<ZipToken>;
  readonly zipProjects: Reflector<ZipProject>;
  start(): void;
  /** Resolves when every cache has its initial list. */
  synced(signal: AbortSignal): Promise<void>;
  /** Kinds whose initial list is not loaded yet. */
  missing(): readonly string[];
}

export const createCaches = <Job extends CachedJob>(deps: {
  readonly kube: KubeClient;
  readonly log: Logger;
  readonly metrics: ReflectorMetrics;
  /** The part of a ZipJob that is kept. */
  readonly toKept: (job: ZipJob) => Job;
  readonly onZipJob: (change: Change<Job>) => void;
  /** Indexes of ZipJobs besides UID_INDEX. */
  readonly indexes?: Indexers<Job>;
}): Caches<Job> => {
  const { toKept, onZipJob, indexes, ...common } = deps;
  const zipJobs = createReflector({
    ...common,
    definition: keptAs(RESOURCES.zipJobs, toKept),
    indexes: { [UID_INDEX]: uidIndex, ...indexes },
    onChange: onZipJob,
  });
  const zipTokens = createReflector({
    ...common,
    definition: RESOURCES.zipTokens,
    indexes: { [MASK_INDEX]: maskIndex },
  });
  const zipBuckets = createReflector({ ...common, definition: RESOURCES.zipBuckets });
  const zipProjects = createReflector({ ...common, definition: RESOURCES.zipProjects });
  const caches = { zipJobs, zipBuckets, zipTokens, zipProjects };
  const all = Object.values(caches);
  const end = new AbortController();
  let running: Promise<unknown> = Promise.resolve();
  return {
    ...caches,
    start: () => {
      running = Promise.all(all.map((cache) => cache.run(end.signal)));
    },
    synced: async (signal) => {
      await Promise.all(all.map((cache) => cache.synced(signal)));
    },
    missing: () =>
      Object.entries(caches)
        .filter(([, cache]) => !cache.hasSynced)
        .map(([name]) => name),
    [Symbol.asyncDispose]: async () => {
      end.abort();
      await running;
    },
  };
};
