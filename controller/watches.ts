import { projectKey } from '#crds/api-group.ts';
import type { ZipBucket } from '#crds/zip-bucket.ts';
import { isFinished, type ZipJob } from '#crds/zip-job.ts';
import type { ZipProject } from '#crds/zip-project.ts';
import { keptAs } from '#runtime/kube/cache/kept-as.ts';
import type { KubeClient } from '#runtime/kube/client/client.ts';
import { type Job, type Namespace, type Pod, RESOURCES } from '#runtime/kube/resources.ts';
import { type Change, type KubeObject, type ObjectKey, objectKey } from '#runtime/kube/types.ts';
import { createReflector } from '#runtime/kube/watch/reflector.ts';
import type { ReflectorMetrics, ReflectorSettings } from '#runtime/kube/watch/reflector-options.ts';
import type { Logger } from '#runtime/log/log.ts';
import { keptJobs } from '#runtime/project-limits/kept-jobs.ts';
import type { ProjectClasses } from '#runtime/project-limits/project-classes.ts';
import { watchClassLabels } from '#runtime/project-limits/watch-class-labels.ts';
import {
  type Caches,
  CHANGING,
  changingOf,
  heldBucketsOf,
  INDEXES,
  isActive,
  JOB_INDEXES,
  listOwnersOf,
  OWN_SELECTOR,
  POD_INDEXES,
  testedBucketOf,
  usedBucketsOf,
  zipJobKeyOf,
} from './cluster/caches.ts';
import { isJobFinished } from './cluster/job-state.ts';
import { isEnded } from './cluster/pod-state.ts';
import { isLeaving } from './cluster/release.ts';
import { isResting, jobSkeleton, podSkeleton, zipJobSkeleton } from './cluster/skeletons.ts';
import { holdStarted } from './queue/hold-started.ts';
import type { Ledger } from './queue/ledger.ts';
import type { StoreOutages } from './queue/store-outages.ts';
import { isCountOnly } from './zip-bucket/count-change.ts';

export interface WatchesOptions {
  readonly kube: KubeClient;
  readonly log: Logger;
  readonly metrics: ReflectorMetrics;
  readonly settings: Partial<ReflectorSettings>;
  /** Called for every ZipJob to reconcile. */
  readonly onZipJob: (key: ObjectKey) => void;
  readonly onProject: (key: ObjectKey) => void;
  readonly onBucket: (key: ObjectKey) => void;
  /** Called for a bucket when a job starts or stops using it; can be frequent. */
  readonly onBucketUse: (key: ObjectKey) => void;
  readonly ledger: Pick<Ledger, 'hold' | 'seeBucket'>;
  readonly storeOutages: Pick<StoreOutages, 'seeBucket'>;
  /** Refreshed when the limits of a project may have changed. */
  readonly limited: readonly { refresh(namespace: string): void }[];
  /** Receive every change of a ZipJob before it is reconciled. */
  readonly followers: readonly { see(change: Change<ZipJob>): void }[];
  /** Receive every change of a Job of zippers before its ZipJob is reconciled. */
  readonly jobFollowers: readonly { see(change: Change<Job>): void }[];
  /** Receive every change of a pod of zippers before its ZipJob is reconciled. */
  readonly podFollowers: readonly { see(change: Change<Pod>): void }[];
  /** Receive every change of a ZipProject. */
  readonly projectFollowers: readonly { see(change: Change<ZipProject>): void }[];
  /** Finished ZipJobs keep their finalizer until the history has them. */
  readonly hasHistory: boolean;
  readonly projectClasses: Pick<ProjectClasses, 'of'>;
}

export interface Watches {
  readonly caches: Caches;
  /** Runs until the signal aborts. */
  run(signal: AbortSignal): Promise<void>;
  /** Resolves when every cache contains its first list. */
  synced(signal: AbortSignal): Promise<void>;
  readonly hasSynced: boolean;
  /** The longest silence of any watch, in milliseconds. */
  silenceMs(): number;
}

function objectOf<T>(change: Change<T>): T {
  return change.kind === 'set' ? change.object : change.before;
}

interface Wiring extends WatchesOptions {
  readonly caches: () => Caches;
}

function isUnfinished(zipJob: ZipJob | undefined): boolean {
  return zipJob !== undefined && !isFinished(zipJob);
}

/** A created, finished or deleted job changes the count of its buckets. A bucket or project may wait for its end. */
function onUseChange({ onBucketUse, onProject, caches }: Wiring, change: Change<ZipJob>): void {
  const now = change.kind === 'set' ? change.object : undefined;
  if (isUnfinished(now) === isUnfinished(change.before) && change.kind === 'set') return;
  // What is kept of a finished job has no source buckets.
  const used = [change.before, now].flatMap((zipJob) => (zipJob ? usedBucketsOf(zipJob) : []));
  for (const bucket of new Set(used)) onBucketUse(bucket);
  leavingProject(caches(), objectOf(change), onProject);
}

/** A project that is being deleted waits for the jobs and buckets of its namespace. */
function leavingProject(caches: Caches, { metadata }: KubeObject, notify: (key: ObjectKey) => void): void {
  const key = projectKey(metadata.namespace);
  const project = caches.projects.get(key);
  if (project && isLeaving(project.metadata)) notify(key);
}

function onArchiveJob({ caches, ledger }: Wiring, key: ObjectKey): void {
  holdStarted(ledger, caches().zipJobs.get(key), caches().jobs.get(key));
}

function onZipJobChange(wiring: Wiring) {
  return (change: Change<ZipJob>): void => {
    const { onZipJob, followers } = wiring;
    for (const follower of followers) follower.see(change);
    onArchiveJob(wiring, change.key);
    onZipJob(change.key);
    onUseChange(wiring, change);
    // The file list that a rerun used may expire after it.
    if (change.kind === 'set' && !isFinished(change.object)) return;
    const { namespace } = objectOf(change).metadata;
    for (const owner of listOwnersOf(objectOf(change))) onZipJob(`${namespace}/${owner}`);
  };
}

function onPodChange({ onZipJob, onBucket, podFollowers, caches }: Wiring) {
  return (change: Change<Pod>): void => {
    for (const follower of podFollowers) follower.see(change);
    const key = zipJobKeyOf(objectOf(change));
    if (key === undefined) return;
    const job = caches().jobs.get(key);
    const tested = job && testedBucketOf(job);
    if (tested === undefined) onZipJob(key);
    // Beside a sidecar, the Job does not change when the zipper ends.
    else onBucket(tested);
  };
}

function onJobChange(wiring: Wiring) {
  return (change: Change<Job>): void => {
    const { onZipJob, onBucket, jobFollowers } = wiring;
    for (const follower of jobFollowers) follower.see(change);
    onArchiveJob(wiring, change.key);
    const tested = testedBucketOf(objectOf(change));
    const key = zipJobKeyOf(objectOf(change));
    if (tested !== undefined) onBucket(tested);
    else if (key !== undefined) onZipJob(key);
  };
}

function onBucketChange({
  onZipJob,
  onBucket,
  onBucketUse,
  onProject,
  caches,
  ledger,
  storeOutages,
}: Wiring) {
  return (change: Change<ZipBucket>): void => {
    ledger.seeBucket(change.key);
    storeOutages.seeBucket(change);
    leavingProject(caches(), objectOf(change), onProject);
    if (isCountOnly(change)) {
      // `onBucketUse` delays the reconcile: otherwise each new job would cause a write of the count.
      onBucketUse(change.key);
      return;
    }
    onBucket(change.key);
    const { namespace, name } = objectOf(change).metadata;
    for (const zipJob of caches().zipJobs.byIndex(INDEXES.bucket, namespace, name))
      if (!isFinished(zipJob)) onZipJob(objectKey(zipJob));
  };
}

/** A bucket that is being deleted no longer waits for finished jobs once its project is being deleted too. */
function leavingBuckets({ caches, onBucket }: Wiring, { metadata }: ZipProject): void {
  for (const bucket of caches().buckets.values())
    if (bucket.metadata.namespace === metadata.namespace && isLeaving(bucket.metadata))
      onBucket(objectKey(bucket));
}

/** The project or its class decides how many of its jobs are kept. */
function refillJobs({ zipJobs, jobs, pods }: Caches, namespace: string): void {
  for (const cache of [zipJobs, jobs, pods]) cache.refill(namespace);
}

function onProjectChange(wiring: Wiring) {
  return (change: Change<ZipProject>): void => {
    const { onZipJob, onProject, limited, caches, projectFollowers } = wiring;
    for (const follower of projectFollowers) follower.see(change);
    onProject(change.key);
    for (const one of limited) one.refresh(objectOf(change).metadata.namespace);
    leavingBuckets(wiring, objectOf(change));
    if (change.kind === 'set' && change.before) return;
    const { namespace } = objectOf(change).metadata;
    refillJobs(caches(), namespace);
    for (const zipJob of caches().zipJobs.byIndex(INDEXES.changing, namespace, CHANGING))
      if (!isFinished(zipJob)) onZipJob(objectKey(zipJob));
  };
}

function onClassChange({ onProject, limited, caches }: Wiring) {
  return (change: Change<Namespace>): void => {
    const { name } = objectOf(change).metadata;
    refillJobs(caches(), name);
    for (const one of limited) one.refresh(name);
    onProject(projectKey(name));
  };
}

interface CommonOptions extends Pick<WatchesOptions, 'kube' | 'log' | 'metrics' | 'settings'> {
  readonly onLeftOut: (namespace: string) => void;
}

/** The caches of ZipJobs and of their Jobs and pods, which the class of the project limits. */
function createJobCaches(
  wiring: Wiring,
  common: CommonOptions,
  { projects, namespaces }: Pick<Caches, 'projects' | 'namespaces'>,
): Pick<Caches, 'zipJobs' | 'jobs' | 'pods'> {
  const { hasHistory, onZipJob, projectClasses } = wiring;
  function hasProject(namespace: string): boolean {
    return projects.get(projectKey(namespace)) !== undefined;
  }
  const limited = {
    ...common,
    after: [projects, namespaces],
    limitsOf: (namespace: string) =>
      keptJobs(hasProject(namespace) ? projectClasses.of(namespace).limits : undefined),
  };
  return {
    zipJobs: createReflector({
      ...limited,
      definition: keptAs(RESOURCES.zipJobs, (zipJob) => zipJobSkeleton(zipJob, hasHistory)),
      isAtRest: isResting,
      isExempt: isActive,
      // A job that waits for a project is read when it is reconciled.
      keepsIdentities: (namespace) => !hasProject(namespace),
      onIdentity: onZipJob,
      indexes: {
        [INDEXES.changing]: changingOf,
        [INDEXES.bucket]: heldBucketsOf,
        [INDEXES.fileList]: listOwnersOf,
      },
      onChange: onZipJobChange(wiring),
    }),
    jobs: createReflector({
      ...limited,
      definition: keptAs(RESOURCES.jobs, jobSkeleton),
      isAtRest: isJobFinished,
      isExempt: (job) => !isJobFinished(job),
      labelSelector: OWN_SELECTOR,
      indexes: JOB_INDEXES,
      onChange: onJobChange(wiring),
    }),
    pods: createReflector({
      ...limited,
      definition: keptAs(RESOURCES.pods, podSkeleton),
      isAtRest: isEnded,
      isExempt: (pod) => !isEnded(pod),
      labelSelector: OWN_SELECTOR,
      indexes: POD_INDEXES,
      onChange: onPodChange(wiring),
    }),
  };
}

function createCaches(wiring: Wiring): Caches {
  const { kube, log, metrics, settings, onProject } = wiring;
  const common: CommonOptions = {
    kube,
    log,
    metrics,
    settings,
    onLeftOut: (namespace) => onProject(projectKey(namespace)),
  };
  const projects = createReflector({
    ...common,
    definition: RESOURCES.zipProjects,
    onChange: onProjectChange(wiring),
  });
  const namespaces = watchClassLabels({ kube, log, metrics, settings, onChange: onClassChange(wiring) });
  return {
    ...createJobCaches(wiring, common, { projects, namespaces }),
    buckets: createReflector({
      ...common,
      definition: RESOURCES.zipBuckets,
      onChange: onBucketChange(wiring),
    }),
    projects,
    namespaces,
  };
}

/** Caches of everything that ZipJobs depend on; maps each event to the key of a ZipJob, ZipBucket or ZipProject. */
export function createWatches(options: WatchesOptions): Watches {
  const caches: Caches = createCaches({ ...options, caches: () => caches });
  const all = Object.values(caches);
  return {
    caches,
    run: async (signal) => {
      await Promise.all(all.map((cache) => cache.run(signal)));
    },
    synced: async (signal) => {
      await Promise.all(all.map((cache) => cache.synced(signal)));
    },
    get hasSynced() {
      return all.every((cache) => cache.hasSynced);
    },
    silenceMs: () => Math.max(...all.map((cache) => cache.silenceMs())),
  };
}
