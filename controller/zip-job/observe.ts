import { PROJECT_NAME, projectKey } from '#crds/api-group.ts';
import { EXIT_CODES } from '#crds/exit-codes.ts';
import { uidOf } from '#crds/object-meta.ts';
import { DEFAULT_ENDPOINT, endpointsOf, findEndpoint } from '#crds/webhook-endpoints.ts';
import type { ZipBucket } from '#crds/zip-bucket.ts';
import { hasActivePod, isFinished, type WebhookState, type ZipJob } from '#crds/zip-job.ts';
import type { ProjectLimits, ZipProject } from '#crds/zip-project.ts';
import type { Event, Job, Pod } from '#runtime/kube/resources.ts';
import type { ObjectClient, ObjectKey } from '#runtime/kube/types.ts';
import type { Clock } from '#runtime/time/clock.ts';
import { type Caches, INDEXES, listOwnerOf } from '../cluster/caches.ts';
import { isJobFinished, jobFailure, ownJob } from '../cluster/job-state.ts';
import { isOwnedBy, isZipperPod } from '../cluster/ownership.ts';
import { findPodRefusal } from '../cluster/pod-refusal.ts';
import { terminationOf } from '../cluster/pod-state.ts';
import type { PodRefusal } from '../cluster/pod-waiting.ts';
import { listPods, podsOf } from '../cluster/pods-of-job.ts';
import { isLeaving } from '../cluster/release.ts';
import type { IsNamespaceTerminating } from '../cluster/terminating-namespaces.ts';
import { timeOf } from '../cluster/times.ts';
import type { ControllerConfig } from '../config/config.ts';
import type { Ledger } from '../queue/ledger.ts';
import type { WebhookDispatcher } from '../webhook/dispatcher.ts';
import { isRemoved } from '../webhook/endpoint.ts';
import { attemptIdOf } from '../webhook/retries.ts';
import type { FinishedPods } from './lifetime/finished-pods.ts';
import type { QuotaRoom } from './lifetime/quota-room.ts';
import type { SurplusJobs } from './lifetime/surplus-jobs.ts';
import { recoveryJobName } from './manifest/job-manifest.ts';
import type { Memory } from './memory.ts';
import type { Observation } from './observation.ts';
import { isRecovering, ownedStatus } from './owned-status.ts';
import { defaultDeadlineSeconds } from './policies/archive-size.ts';
import { isFarTooSlow } from './policies/deadline.ts';
import { hasNoAttempt } from './policies/interruption.ts';
import { lacksPod, latePod, withoutContainer } from './policies/pod-not-created.ts';
import type { ReportingJobs } from './reporting-jobs.ts';

export interface ObserveOptions {
  readonly caches: Omit<Caches, 'namespaces'>;
  readonly zipJobs: Pick<ObjectClient<ZipJob>, 'get'>;
  readonly jobs: Pick<ObjectClient<Job>, 'get'>;
  readonly pods: Pick<ObjectClient<Pod>, 'get' | 'list'>;
  readonly events: Pick<ObjectClient<Event>, 'list'>;
  readonly buckets: Pick<ObjectClient<ZipBucket>, 'get'>;
  readonly projects: Pick<ObjectClient<ZipProject>, 'get'>;
  readonly memory: Pick<Memory, 'newest' | 'refusal' | 'seeProgress' | 'checkpointRetryAt'>;
  readonly reportingJobs: Pick<ReportingJobs, 'count'>;
  readonly dispatcher: Pick<WebhookDispatcher, 'state'>;
  readonly ledger: Pick<Ledger, 'position' | 'sharesTarget'>;
  readonly surplusJobs: Pick<SurplusJobs, 'isSurplus'>;
  readonly finishedPods: Pick<FinishedPods, 'isSurplus'>;
  readonly quotaRoom: Pick<QuotaRoom, 'look'>;
  readonly isNamespaceTerminating: IsNamespaceTerminating;
  readonly clock: Pick<Clock, 'date'>;
  readonly limitsIn: (namespace: string) => Pick<ProjectLimits, 'archiveBytes'>;
  readonly config: Pick<ControllerConfig, 'activeDeadlineSeconds'>;
}

/** Jobs that were just created or read live, and that the cache may not have yet. */
export interface Hints {
  readonly job?: Job;
  readonly recovery?: Job;
}

/** Undefined if the ZipJob does not exist. */
export type Observe = (key: ObjectKey, hints: Hints) => Promise<Observation | undefined>;

/** True if the status, the ledger or a deletion depends on whether the Job exists. */
function mustKnowJob({ zipJob, position }: Pick<Observation, 'zipJob' | 'position'>): boolean {
  return (
    zipJob.status?.job?.uid !== undefined ||
    position.state === 'running' ||
    zipJob.spec.cancel === true ||
    isLeaving(zipJob.metadata)
  );
}

/**
 * A cache may lag behind the status and the ledger. An object that they refer to is therefore read live before it counts
 * as missing.
 */
async function findJob(
  options: ObserveOptions,
  seen: Pick<Observation, 'zipJob' | 'position'>,
  hint: Job | undefined,
): Promise<Job | undefined> {
  const { namespace, name } = seen.zipJob.metadata;
  const known = seen.zipJob.status?.job?.uid;
  const cached = options.caches.jobs.get(`${namespace}/${name}`) ?? hint;
  if (cached && (known === undefined || cached.metadata.uid === known)) return cached;
  return mustKnowJob(seen) ? options.jobs.get(namespace, name) : cached;
}

/** Pods outlive a deleted Job and still report how they ended. */
function cachedPods({ caches }: ObserveOptions, zipJob: ZipJob, job: Job | undefined): readonly Pod[] {
  const { namespace } = zipJob.metadata;
  const known = zipJob.status?.job;
  const owner = ownJob({ job, zipJob })?.metadata ?? (known && { namespace, ...known });
  return owner === undefined ? [] : podsOf(caches.pods, owner);
}

async function findPods(
  options: ObserveOptions,
  zipJob: ZipJob,
  job: Job | undefined,
): Promise<readonly Pod[]> {
  const cached = cachedPods(options, zipJob, job);
  const { podUid, podName } = zipJob.status?.job ?? {};
  if (podUid === undefined || podName === undefined) return cached;
  if (cached.some(({ metadata }) => metadata.uid === podUid)) return cached;
  const live = await options.pods.get(zipJob.metadata.namespace, podName);
  return live?.metadata.uid === podUid && isZipperPod(live) ? [...cached, live] : cached;
}

function recoveryName({ metadata, status }: ZipJob): string | undefined {
  const last = status?.attempts?.at(-1);
  return last && isRecovering(ownedStatus(status)) ? recoveryJobName(metadata.name, last.n) : undefined;
}

/** A recovery Job usually finishes within seconds. If it does not, the caches may have missed its end. */
const LATE_MS = 30_000;

function mayHaveResponded(job: Job, now: Date): boolean {
  return (
    isJobFinished(job) ||
    jobFailure(job) !== undefined ||
    now.getTime() - (timeOf(job.metadata.creationTimestamp) ?? 0) > LATE_MS
  );
}

/**
 * The result of a recovery Job is in its successful pod. The caches may know that the Job finished, or its failed pods, before
 * they know that pod, so it is read live before it counts as missing.
 */
async function findRecovery(
  options: ObserveOptions,
  zipJob: ZipJob,
  hint: Job | undefined,
): Promise<Observation['recovery']> {
  const name = recoveryName(zipJob);
  if (name === undefined) return undefined;
  const { namespace } = zipJob.metadata;
  const job = options.caches.jobs.get(`${namespace}/${name}`) ?? hint;
  if (!job || !isOwnedBy(job, zipJob)) return undefined;
  const cached = podsOf(options.caches.pods, job.metadata);
  const isKnown = cached.some((pod) => terminationOf(pod)?.exitCode === EXIT_CODES.ok);
  if (isKnown || !mayHaveResponded(job, options.clock.date())) return { job, pods: cached };
  return { job, pods: await listPods(options.pods, job.metadata) };
}

function findListOwner(options: ObserveOptions, zipJob: ZipJob): ZipJob | undefined {
  const name = listOwnerOf(zipJob);
  const key = `${zipJob.metadata.namespace}/${name}`;
  const owner = name === undefined ? undefined : options.caches.zipJobs.get(key);
  return owner && options.memory.newest(owner);
}

/** The deliveries of this process to the endpoints of the job. */
function deliveriesOf(
  { dispatcher }: ObserveOptions,
  key: ObjectKey,
  { status = {} }: ZipJob,
): Observation['deliveries'] {
  const { webhook } = status;
  const names = [DEFAULT_ENDPOINT, ...(webhook?.endpoints ?? []).map(({ name }) => name)];
  return new Map(
    names.map((name) => {
      const delivery = findEndpoint<WebhookState>(webhook, name);
      return [name, dispatcher.state(key, delivery && attemptIdOf(delivery), name)];
    }),
  );
}

/** The API may have copied an endpoint into the job that the cached project does not have yet. */
async function projectOfDeliveries(
  { caches, projects }: ObserveOptions,
  { metadata: { namespace }, status = {} }: ZipJob,
): Promise<ZipProject | undefined> {
  const cached = caches.projects.get(projectKey(namespace));
  const pending = endpointsOf<WebhookState>(status.webhook).filter(({ state }) => state === 'Pending');
  return pending.some((endpoint) => isRemoved(cached, endpoint))
    ? projects.get(namespace, PROJECT_NAME)
    : cached;
}

async function ofFinished(options: ObserveOptions, key: ObjectKey, zipJob: ZipJob): Promise<Observation> {
  const job = options.caches.jobs.get(key);
  return {
    zipJob,
    project: await projectOfDeliveries(options, zipJob),
    bucket: undefined,
    job,
    pods: hasActivePod(zipJob)
      ? await findPods(options, zipJob, undefined)
      : cachedPods(options, zipJob, job),
    recovery: undefined,
    refusal: undefined,
    deliveries: deliveriesOf(options, key, zipJob),
    position: { state: 'none' },
    isNamespaceTerminating: false,
    isSurplus: options.surplusJobs.isSurplus(key),
    ownJobs: options.caches.jobs
      .byIndex(INDEXES.zipJobUid, zipJob.metadata.namespace, uidOf(zipJob))
      .filter((job) => isOwnedBy(job, zipJob)),
    hasSurplusPods: options.finishedPods.isSurplus(key),
    listUsers: options.caches.zipJobs
      .byIndex(INDEXES.fileList, zipJob.metadata.namespace, zipJob.metadata.name)
      .map((user) => options.memory.newest(user)),
  };
}

/** The pod that starts late, or the Job without a pod; of the recovery, if there is one. */
function containerless(seen: Observation, now: Date): Job | Pod | undefined {
  const { recovery, job, pods } = seen;
  if (recovery) return withoutContainer(recovery, now);
  return latePod(pods, now) ?? (lacksPod(seen, now) ? job : undefined);
}

/** Why there is no running container. */
async function podRefusalIn(
  { events, clock }: ObserveOptions,
  seen: Observation,
): Promise<PodRefusal | undefined> {
  const object = containerless(seen, clock.date());
  return object && findPodRefusal(events, object);
}

/** What the next step of the job waits for, if the quota refuses that: a memory of another step says nothing. */
function quotaOf({ zipJob, refusal }: Observation, podRefusal: PodRefusal | undefined) {
  if (podRefusal) return podRefusal.quota;
  const next = isRecovering(ownedStatus(zipJob.status)) ? 'recover' : 'archive';
  return refusal?.target === next ? refusal.quota : undefined;
}

/** Adds what the quota says, and whether finished Jobs can make room in it. */
function withQuota(options: ObserveOptions, seen: Observation, pods: PodRefusal | undefined): Observation {
  const refused = quotaOf(seen, pods);
  const quota = refused && options.quotaRoom.look(seen.zipJob.metadata.namespace, refused);
  const { reason, message } = pods ?? {};
  const { refusal } = seen;
  return {
    ...seen,
    quota,
    refusal: refusal && quota && !pods ? { ...refusal, message: quota.message } : refusal,
    podRefusal: reason && { reason, message: quota?.message ?? message ?? '' },
  };
}

/** A bucket that is missing from the cache, or not usable there, may have been created or changed a moment ago. */
async function findBucket(
  { caches, buckets }: ObserveOptions,
  { namespace, name }: { readonly namespace: string; readonly name: string },
  isUsable = (_bucket: ZipBucket): boolean => true,
): Promise<ZipBucket | undefined> {
  const known = caches.buckets.get(`${namespace}/${name}`);
  return known && isUsable(known) ? known : buckets.get(namespace, name);
}

async function findSourceBuckets(options: ObserveOptions, zipJob: ZipJob): Promise<readonly ZipBucket[]> {
  const { namespace } = zipJob.metadata;
  /** After the first attempt, only a deletion ends the job. */
  function isUsable({ spec, metadata }: ZipBucket): boolean {
    return !hasNoAttempt(zipJob) || (spec.readable === true && !isLeaving(metadata));
  }
  const names = zipJob.spec.sourceBuckets ?? [];
  const found = await Promise.all(names.map((name) => findBucket(options, { namespace, name }, isUsable)));
  return found.filter((bucket) => bucket !== undefined);
}

async function ofUnfinished(
  options: ObserveOptions,
  { key, zipJob }: { readonly key: ObjectKey; readonly zipJob: ZipJob },
  hints: Hints,
): Promise<Observation> {
  const { caches, memory, projects } = options;
  const { namespace } = zipJob.metadata;
  const { name } = zipJob.spec.bucketRef;
  // Read before the Job: otherwise the position could include a Job that was created after the Job was read.
  const position = options.ledger.position(zipJob);
  const job = await findJob(options, { zipJob, position }, hints.job);
  const { archiveBytes: maxArchiveBytes } = options.limitsIn(namespace);
  const activeDeadlineSeconds = defaultDeadlineSeconds(maxArchiveBytes, options.config);
  const isTooSlow = isFarTooSlow(zipJob, job, { activeDeadlineSeconds });
  const seen = {
    zipJob,
    position,
    project: caches.projects.get(projectKey(namespace)) ?? (await projects.get(namespace, PROJECT_NAME)),
    bucket: await findBucket(options, { namespace, name }),
    sourceBuckets: await findSourceBuckets(options, zipJob),
    job,
    pods: await findPods(options, zipJob, job),
    recovery: await findRecovery(options, zipJob, hints.recovery),
    refusal: memory.refusal(key),
    sharesTarget: options.ledger.sharesTarget(zipJob),
    seenProgress: memory.seeProgress(zipJob, options.clock.date(), isTooSlow),
    isCheckpointRefused: (memory.checkpointRetryAt(key)?.getTime() ?? 0) > options.clock.date().getTime(),
    maxArchiveBytes,
    reportingJobs: options.reportingJobs.count,
    listOwner: findListOwner(options, zipJob),
    deliveries: new Map(),
    isNamespaceTerminating: isLeaving(zipJob.metadata) && (await options.isNamespaceTerminating(namespace)),
  };
  return withQuota(options, seen, await podRefusalIn(options, seen));
}

/** Of a job that waits for a project, the cache keeps only the identity. Once there is a project, the job becomes a cached one. */
async function withoutProject(
  { caches, zipJobs }: ObserveOptions,
  key: ObjectKey,
): Promise<ZipJob | undefined> {
  const identity = caches.zipJobs.identity(key);
  if (!identity) return undefined;
  const { namespace, name } = identity.metadata;
  return zipJobs.get(namespace, name);
}

/** Reads the input of a decision about a ZipJob, from the caches where they are reliable. */
export function createObserve(options: ObserveOptions): Observe {
  return async (key, hints) => {
    const cached = options.caches.zipJobs.get(key);
    const found = cached ?? (await withoutProject(options, key));
    if (!found) return undefined;
    const zipJob = options.memory.newest(found);
    const seen = isFinished(zipJob)
      ? await ofFinished(options, key, zipJob)
      : await ofUnfinished(options, { key, zipJob }, hints);
    // Nothing starts that the ledger does not know.
    return !cached && seen.project ? undefined : seen;
  };
}
