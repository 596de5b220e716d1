import { projectKey } from '#crds/api-group.ts';
import type { ZipBucket } from '#crds/zip-bucket.ts';
import type { ZipProject } from '#crds/zip-project.ts';
import type { ZipToken } from '#crds/zip-token.ts';
import { type CacheGroup, createCacheGroup } from '#runtime/kube/cache/cache-group.ts';
import { keptAs } from '#runtime/kube/cache/kept-as.ts';
import type { KubeClient } from '#runtime/kube/client/client.ts';
import { type Namespace, RESOURCES } from '#runtime/kube/resources.ts';
import { namespaceOf, type Reflector } from '#runtime/kube/types.ts';
import { createReflector } from '#runtime/kube/watch/reflector.ts';
import type { ReflectorMetrics } from '#runtime/kube/watch/reflector-options.ts';
import type { Logger } from '#runtime/log/log.ts';
import type { ClassLimits } from '#runtime/project-limits/class-settings.ts';
import { keptJobs } from '#runtime/project-limits/kept-jobs.ts';
import { createProjectClasses } from '#runtime/project-limits/project-classes.ts';
import { watchClassLabels } from '#runtime/project-limits/watch-class-labels.ts';
import { type CachedJob, toCachedJob } from '../limits/cached-job.ts';
import type { StorageLedger } from '../limits/storage-ledger.ts';
import type { AcceptedTokens } from '../tokens/accepted-tokens.ts';
import { UID_INDEX, uidIndex } from './find-zip-job.ts';
import type { KeptResponses } from './kept-responses.ts';

/** The objects of all projects that the API keeps in memory. */
export interface Caches extends CacheGroup {
  readonly zipJobs: Reflector<CachedJob>;
  readonly zipBuckets: Reflector<ZipBucket>;
  readonly zipTokens: Reflector<ZipToken>;
  readonly zipProjects: Reflector<ZipProject>;
  /** The namespaces with a project class. */
  readonly namespaces: Reflector<Namespace>;
}

export function createCaches(deps: {
  readonly kube: KubeClient;
  readonly log: Logger;
  readonly metrics: ReflectorMetrics;
  /** Receives every finished ZipJob. */
  readonly responses: Pick<KeptResponses, 'keep'>;
  /** Receive every change of a cached ZipJob, and of a cached ZipToken. */
  readonly storage: Pick<StorageLedger, 'note'>;
  readonly accepted: Pick<AcceptedTokens, 'note'>;
  readonly classes: ClassLimits;
}): Caches {
  const { storage, accepted, responses, classes, ...common } = deps;
  const zipProjects: Reflector<ZipProject> = createReflector({
    ...common,
    definition: RESOURCES.zipProjects,
    onChange: ({ key }) => zipJobs.refill(namespaceOf(key)),
  });
  const namespaces = watchClassLabels({
    ...common,
    onChange: ({ key }) => zipJobs.refill(key.slice(1)),
  });
  const { of: classOf } = createProjectClasses({ classes, namespaces });
  const zipJobs: Reflector<CachedJob> = createReflector({
    ...common,
    after: [zipProjects, namespaces],
    limitsOf: (namespace) => keptJobs(zipProjects.get(projectKey(namespace)) && classOf(namespace).limits),
    definition: keptAs(RESOURCES.zipJobs, (job) => {
      responses.keep(job);
      return toCachedJob(job);
    }),
    isAtRest: () => true,
    indexes: { [UID_INDEX]: uidIndex },
    onChange: (change) => storage.note(change),
  });
  return createCacheGroup({
    zipJobs,
    zipBuckets: createReflector({ ...common, definition: RESOURCES.zipBuckets }),
    zipTokens: createReflector({
      ...common,
      definition: RESOURCES.zipTokens,
      onChange: (change) => accepted.note(change),
    }),
    zipProjects,
    namespaces,
  });
}
