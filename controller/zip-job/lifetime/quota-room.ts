import { uidOf } from '#crds/object-meta.ts';
import type { ZipJob } from '#crds/zip-job.ts';
import { isKubeError } from '#runtime/kube/client/kube-error.ts';
import { findQuantity } from '#runtime/kube/quantity.ts';
import { type QuotaRefusal, quotaText } from '#runtime/kube/quota-refusal.ts';
import type { Job } from '#runtime/kube/resources.ts';
import type { ObjectClient } from '#runtime/kube/types.ts';
import type { Logger } from '#runtime/log/log.ts';
import type { Clock } from '#runtime/time/clock.ts';
import { type Caches, FINISHED, INDEXES } from '../../cluster/caches.ts';
import { controllerOf, isOwnedBy } from '../../cluster/ownership.ts';
import { isEnded } from '../../cluster/pod-state.ts';
import { podsOf } from '../../cluster/pods-of-job.ts';
import { isLeaving } from '../../cluster/release.ts';
import type { ControllerMetrics } from '../../metrics.ts';

export interface QuotaRoomOptions {
  readonly caches: () => Pick<Caches, 'zipJobs' | 'jobs' | 'pods'>;
  readonly jobs: Pick<ObjectClient<Job>, 'delete'>;
  /** When the Jobs of a ZipJob expire; undefined while the ZipJob needs them. */
  readonly expiresAt: (zipJob: ZipJob) => Date | undefined;
  readonly metrics: Pick<ControllerMetrics, 'surplusPods'>;
  readonly clock: Pick<Clock, 'date' | 'monotonicMs'>;
  readonly log: Logger;
}

/** What an object waits for that a quota refuses. */
export interface QuotaWait {
  readonly refusal: QuotaRefusal;
  /** Jobs of finished ZipJobs can be deleted for it. */
  readonly isFreeable: boolean;
  /** When that was last so, in this process. */
  readonly freeableAt: Date | undefined;
  /** The quota, its numbers, and what to do. */
  readonly message: string;
}

/**
 * The room that finished ZipJobs occupy in a ResourceQuota on numbers of Jobs or pods. Their Kubernetes Jobs are only kept for
 * people who look for logs, so they make way for new ones. The ZipJobs themselves stay.
 */
export interface QuotaRoom {
  /** Says whether Jobs can be deleted for this quota. */
  look(namespace: string, refusal: QuotaRefusal): QuotaWait;
  /** Deletes the Jobs that expire first. Does nothing for a while after each time, until the quota is counted again. */
  free(namespace: string, refusal: QuotaRefusal): Promise<void>;
}

/** The API server counts a quota again within seconds of a deletion. */
const RECOUNT_MS = 5_000;
/** A part of a large quota is freed at once, so that not every new Job waits for a deletion. */
const HEADROOM = 0.1;

const FREEING = 'The Kubernetes Jobs of finished ZipJobs are being deleted to make room';
const ADVICE =
  'Delete objects of the namespace that you no longer need, or ask its administrator for a higher quota';

/** What a finished Job occupies of each resource of a quota. Only `pods` leaves out ended pods. */
type Occupied = (job: Job) => number;

interface Candidate {
  readonly job: Job;
  readonly expiresAt: number;
  readonly occupied: number;
}

function occupationOf(resource: string, { pods }: Pick<Caches, 'pods'>): Occupied | undefined {
  switch (resource) {
    case 'count/jobs.batch':
      return () => 1;
    case 'count/pods':
      return ({ metadata }) => podsOf(pods, metadata).length;
    case 'pods':
      return ({ metadata }) => podsOf(pods, metadata).filter((pod) => !isEnded(pod)).length;
    default:
      return undefined;
  }
}

interface Excess {
  readonly occupied: Occupied;
  /** How much has to be freed. */
  readonly missing: number;
}

/** Undefined if deleted Jobs cannot help: the quota limits something else too, or is smaller than one request. */
function excessOf({ exceeded }: QuotaRefusal, caches: Pick<Caches, 'pods'>): readonly Excess[] | undefined {
  const all = exceeded.map(({ resource, requested, used, hard }) => {
    const [more = NaN, inUse = NaN, limit = NaN] = [requested, used, hard].map(findQuantity);
    const occupied = occupationOf(resource, caches);
    if (!occupied || !(more <= limit)) return undefined;
    return { occupied, missing: inUse + more - limit + Math.floor(limit * HEADROOM) };
  });
  const known = all.filter((one) => one !== undefined);
  return known.length > 0 && known.length === all.length ? known : undefined;
}

function candidatesFor(
  { caches, expiresAt }: QuotaRoomOptions,
  namespace: string,
  occupied: Occupied,
): readonly Candidate[] {
  const { jobs, zipJobs } = caches();
  return jobs
    .byIndex(INDEXES.finished, namespace, FINISHED)
    .flatMap((job) => {
      const zipJob = zipJobs.get(`${namespace}/${controllerOf(job, 'ZipJob')?.name ?? ''}`);
      const isOurs = zipJob !== undefined && isOwnedBy(job, zipJob) && !isLeaving(job.metadata);
      const at = isOurs ? expiresAt(zipJob)?.getTime() : undefined;
      return at === undefined ? [] : [{ job, expiresAt: at, occupied: occupied(job) }];
    })
    .filter((one) => one.occupied > 0);
}

/** The first ones that free enough of a resource, or all. */
function chosenFor(options: QuotaRoomOptions, namespace: string, { occupied, missing }: Excess): Set<Job> {
  const chosen = new Set<Job>();
  let freed = 0;
  const candidates = candidatesFor(options, namespace, occupied);
  for (const one of candidates.toSorted((a, b) => a.expiresAt - b.expiresAt)) {
    if (freed >= missing) break;
    chosen.add(one.job);
    freed += one.occupied;
  }
  return chosen;
}

async function deleteJob({ jobs, log }: QuotaRoomOptions, { metadata }: Job): Promise<void> {
  const { namespace, name } = metadata;
  try {
    await jobs.delete(namespace, name, { uid: uidOf({ metadata }), propagationPolicy: 'Background' });
  } catch (error) {
    // A policy may refuse to delete a Job that a user changed.
    if (!isKubeError(error, 'Forbidden', 'Conflict', 'NotFound')) throw error;
    log.warn({ err: error, project: namespace, job: name }, 'could not delete a finished Job');
  }
}

export function createQuotaRoom(options: QuotaRoomOptions): QuotaRoom {
  const { clock, log, metrics } = options;
  const lastFreeable = new Map<string, Date>();
  const recountedAtMs = new Map<string, number>();
  return {
    look: (namespace, refusal) => {
      const excess = excessOf(refusal, options.caches()) ?? [];
      const isFreeable = excess.some(
        ({ occupied }) => candidatesFor(options, namespace, occupied).length > 0,
      );
      if (isFreeable) lastFreeable.set(namespace, clock.date());
      const advice = isFreeable ? FREEING : ADVICE;
      return {
        refusal,
        isFreeable,
        freeableAt: lastFreeable.get(namespace),
        message: `${quotaText(refusal)}. ${advice}`,
      };
    },
    free: async (namespace, refusal) => {
      const nowMs = clock.monotonicMs();
      if (nowMs < (recountedAtMs.get(namespace) ?? -Infinity)) return;
      const excess = excessOf(refusal, options.caches()) ?? [];
      const chosen = new Set(excess.flatMap((one) => [...chosenFor(options, namespace, one)]));
      if (chosen.size === 0) return;
      recountedAtMs.set(namespace, nowMs + RECOUNT_MS);
      metrics.surplusPods.inc(chosen.size);
      log.info(
        { project: namespace, quota: refusal.name, jobs: chosen.size },
        'a ResourceQuota has no room: the finished Jobs that expire first are deleted',
      );
      for (const job of chosen) await deleteJob(options, job);
    },
  };
}
