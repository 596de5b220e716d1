import { projectKey } from '#crds/api-group.ts';
import { isFinished } from '#crds/zip-job.ts';
import { uuidOfName } from '#crds/zip-job-facts.ts';
import type { ProjectLimits, ZipProject } from '#crds/zip-project.ts';
import { type CacheGroup, createCacheGroup } from '#runtime/kube/cache/cache-group.ts';
import { keptAs } from '#runtime/kube/cache/kept-as.ts';
import type { KubeClient } from '#runtime/kube/client/client.ts';
import { RESOURCES } from '#runtime/kube/resources.ts';
import { type Change, namespaceOf, type Reflector } from '#runtime/kube/types.ts';
import { createReflector } from '#runtime/kube/watch/reflector.ts';
import type { ReflectorMetrics } from '#runtime/kube/watch/reflector-options.ts';
import type { Logger } from '#runtime/log/log.ts';
import { BUILT_IN_LIMITS } from '#runtime/project-limits/class-settings.ts';
import { keptJobs } from '#runtime/project-limits/kept-jobs.ts';
import { type ListedJob, toListedJob } from './listed-job.ts';

/** All jobs of a project, under the value `ALL`. */
export const NAMESPACE_INDEX = 'namespace';
export const ALL = '';
/** Reruns by the name of the job that they rerun. */
export const RERUN_INDEX = 'rerun';
/** Jobs that the API did not create, by their uid: the others have their ID in their name, and need no entry. */
export const UID_INDEX = 'uid';

export const ZIP_JOB_INDEXES: Readonly<Record<string, (job: ListedJob) => readonly string[]>> = {
  [NAMESPACE_INDEX]: () => [ALL],
  [RERUN_INDEX]: ({ rerunOf }) => (rerunOf === undefined ? [] : [rerunOf]),
  [UID_INDEX]: ({ metadata: { name, uid } }) =>
    uid === undefined || uuidOfName(name) !== undefined ? [] : [uid],
};

/** What all users share, kept with the identity of the dashboard. Everything else is read with the token of a user. */
export interface Caches extends CacheGroup {
  readonly zipJobs: Reflector<ListedJob>;
  readonly zipProjects: Reflector<ZipProject>;
}

/** The controller reports the class soon after a project was created. */
function classLimits(project: ZipProject | undefined): Partial<ProjectLimits> | undefined {
  return project && (project.status?.class?.limits ?? BUILT_IN_LIMITS);
}

export function createCaches(deps: {
  readonly kube: KubeClient;
  readonly log: Logger;
  readonly metrics: ReflectorMetrics;
  /** Called with every change of a cached ZipJob. */
  readonly onZipJob: (change: Change<ListedJob>) => void;
}): Caches {
  const { onZipJob, ...common } = deps;
  const zipProjects: Reflector<ZipProject> = createReflector({
    ...common,
    definition: RESOURCES.zipProjects,
    onChange: ({ key }) => zipJobs.refill(namespaceOf(key)),
  });
  const zipJobs: Reflector<ListedJob> = createReflector({
    ...common,
    after: [zipProjects],
    limitsOf: (namespace) => keptJobs(classLimits(zipProjects.get(projectKey(namespace)))),
    definition: keptAs(RESOURCES.zipJobs, toListedJob),
    isAtRest: ({ status }) => isFinished({ status }),
    indexes: ZIP_JOB_INDEXES,
    onChange: onZipJob,
  });
  return createCacheGroup({ zipJobs, zipProjects });
}
