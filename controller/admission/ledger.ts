import { projectKey } from '#crds/api-group.ts';
import { isFinished, type ZipJob } from '#crds/zip-job.ts';
import type { ZipProject } from '#crds/zip-project.ts';
import type { Clock } from '#runtime/clock.ts';
import { type Change, type ObjectKey, objectKey } from '#runtime/kube/types.ts';
import type { ControllerConfig } from '../config.ts';
import { bucketKeyOf } from '../kube-state/caches.ts';
import type { Pause } from './pause.ts';
import { nextInTurn, type SlotLimits, type SlotRequest, takenSlots } from './queue-order.ts';
import { orderOf } from './queue-turn.ts';
import { type TokenRate, takeToken } from './token-bucket.ts';
import { isInTrustedQueue } from './trusted-queue.ts';

/** Whether a queued job may start now. `none`: another reason prevents it, so no slot was requested. */
export type SlotTurn =
  | { readonly kind: 'none' }
  | { readonly kind: 'granted' }
  | { readonly kind: 'waiting'; readonly reason: 'SlotsTaken' | 'Paused'; readonly message: string };

export interface SlotsOptions {
  readonly limits: SlotLimits;
  /** Jobs in these queues take no slot: while suspended there, they would block others. */
  readonly trustedQueues: readonly string[];
  readonly pause: Pick<Pause, 'reason'>;
  /** How fast Jobs may be created. */
  readonly rate: TokenRate;
  readonly clock: Clock;
  /** Called with every job that gets a slot after it had to wait. */
  readonly onGranted: (key: ObjectKey) => void;
}

/** The limits of the settings; the limit of a project, if set, takes precedence. */
export const slotSettings = (
  config: Pick<
    ControllerConfig,
    | 'maxActiveJobs'
    | 'maxActiveJobsPerProject'
    | 'maxActiveJobsPerBucket'
    | 'jobCreateRate'
    | 'jobCreateBurst'
    | 'trustedQueues'
  >,
  findProject: (key: ObjectKey) => ZipProject | undefined,
): Pick<SlotsOptions, 'limits' | 'rate' | 'trustedQueues'> => ({
  trustedQueues: config.trustedQueues,
  limits: {
    inAll: config.maxActiveJobs,
    perBucket: config.maxActiveJobsPerBucket,
    ofProject: (namespace) =>
      findProject(projectKey(namespace))?.spec.limits?.activeJobs ?? config.maxActiveJobsPerProject,
  },
  rate: { perSecond: config.jobCreateRate, burst: config.jobCreateBurst },
});

/** Running jobs and jobs that wait for a slot. Follows the cache and is queried before a Job is created. */
export interface Slots {
  /** Updates from the cache: a job holds a slot from Starting until it finishes. */
  see(change: Change<ZipJob>): void;
  /** Gives a slot to a job whose Job exists, regardless of limits. */
  hold(zipJob: ZipJob): void;
  /** Requests a slot. Without a free one, the job is queued and `onGranted` is called later. */
  ask(zipJob: ZipJob): SlotTurn;
  /** Another reason prevents the start: returns the slot, or leaves the queue. */
  withdraw(key: ObjectKey): void;
  /** Grants free slots after a limit changed. */
  refresh(): void;
}

interface Bucket {
  running: number;
  readonly waiting: SlotRequest[];
}

interface Project {
  running: number;
  waiting: number;
  since: number;
  readonly buckets: Map<string, Bucket>;
}

interface Entry {
  readonly request: SlotRequest;
  state: 'waiting' | 'granted' | 'held';
}

const requestOf = (zipJob: ZipJob): SlotRequest => ({
  key: objectKey(zipJob),
  uid: zipJob.metadata.uid ?? '',
  project: zipJob.metadata.namespace,
  bucket: bucketKeyOf(zipJob),
  order: orderOf(zipJob),
});

/** Position of the request in the queue. */
const placeOf = (line: readonly SlotRequest[], { order }: SlotRequest): number => {
  let [low, high] = [0, line.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((line[middle]?.order ?? '') < order) low = middle + 1;
    else high = middle;
  }
  return low;
};

class SlotLedger implements Slots {
  readonly #options: SlotsOptions;
  readonly #entries = new Map<ObjectKey, Entry>();
  readonly #state = { running: 0, projects: new Map<string, Project>() };
  #tokens: { readonly left: number; readonly atMs: number };
  #turn = 0;
  #later: Disposable | undefined;

  constructor(options: SlotsOptions) {
    this.#options = options;
    this.#tokens = { left: options.rate.burst, atMs: options.clock.monotonicMs() };
  }

  see(change: Change<ZipJob>): void {
    if (change.kind === 'deleted') {
      this.withdraw(change.key);
      return;
    }
    const { object, key } = change;
    if (this.#entries.get(key)?.request.uid !== object.metadata.uid) this.withdraw(key);
    const { phase } = object.status ?? {};
    if (isFinished(object)) this.withdraw(key);
    else if (phase !== undefined && phase !== 'Queued') this.hold(object);
  }

  hold(zipJob: ZipJob): void {
    if (isInTrustedQueue(zipJob, this.#options.trustedQueues)) return;
    const known = this.#entries.get(objectKey(zipJob));
    if (known && known.state !== 'waiting') {
      known.state = 'held';
      return;
    }
    if (known) this.#remove(known);
    this.#occupy(requestOf(zipJob), 'held');
  }

  ask(zipJob: ZipJob): SlotTurn {
    const { pause, limits, trustedQueues } = this.#options;
    if (pause.reason !== undefined)
      return { kind: 'waiting', reason: 'Paused', message: `all jobs are paused: ${pause.reason}` };
    if (isInTrustedQueue(zipJob, trustedQueues)) return { kind: 'granted' };
    const key = objectKey(zipJob);
    if (!this.#entries.has(key)) this.#enqueue(requestOf(zipJob));
    this.#handOut(key);
    const entry = this.#entries.get(key);
    if (!entry || entry.state !== 'waiting') return { kind: 'granted' };
    const message = takenSlots(this.#state, entry.request, limits);
    return { kind: 'waiting', reason: 'SlotsTaken', message };
  }

  withdraw(key: ObjectKey): void {
    const entry = this.#entries.get(key);
    if (!entry) return;
    this.#remove(entry);
    if (entry.state !== 'waiting') this.#handOut();
  }

  refresh(): void {
    this.#handOut();
  }

  #project(name: string): Project {
    const known = this.#state.projects.get(name);
    if (known) return known;
    const project: Project = { running: 0, waiting: 0, since: this.#turn, buckets: new Map() };
    this.#state.projects.set(name, project);
    return project;
  }

  #bucket({ project, bucket }: SlotRequest): Bucket {
    const { buckets } = this.#project(project);
    const known = buckets.get(bucket);
    if (known) return known;
    const made: Bucket = { running: 0, waiting: [] };
    buckets.set(bucket, made);
    return made;
  }

  #enqueue(request: SlotRequest): void {
    const project = this.#project(request.project);
    const { waiting } = this.#bucket(request);
    if (project.waiting === 0) project.since = Math.max(project.since, this.#turn);
    project.waiting += 1;
    waiting.splice(placeOf(waiting, request), 0, request);
    this.#entries.set(request.key, { request, state: 'waiting' });
  }

  #occupy(request: SlotRequest, state: 'granted' | 'held'): void {
    this.#state.running += 1;
    this.#project(request.project).running += 1;
    this.#bucket(request).running += 1;
    this.#entries.set(request.key, { request, state });
  }

  #remove({ request, state }: Entry): void {
    const project = this.#project(request.project);
    const bucket = this.#bucket(request);
    this.#entries.delete(request.key);
    if (state === 'waiting') {
      project.waiting -= 1;
      bucket.waiting.splice(placeOf(bucket.waiting, request), 1);
    } else {
      this.#state.running -= 1;
      project.running -= 1;
      bucket.running -= 1;
    }
    if (bucket.running === 0 && bucket.waiting.length === 0) project.buckets.delete(request.bucket);
    if (project.buckets.size === 0) this.#state.projects.delete(request.project);
  }

  /** Grants free slots in queue order; does not notify the job that is requesting one. */
  #handOut(asking?: ObjectKey): void {
    while (this.#options.pause.reason === undefined) {
      const request = nextInTurn(this.#state, this.#options.limits);
      if (!request || !this.#mayCreate()) return;
      // Occupy the slot first, so that its project is not removed in between.
      this.#occupy(request, 'granted');
      this.#leaveLine(request);
      this.#turn += 1;
      this.#project(request.project).since = this.#turn;
      if (request.key !== asking) this.#options.onGranted(request.key);
    }
  }

  #leaveLine(request: SlotRequest): void {
    const { waiting } = this.#bucket(request);
    waiting.splice(placeOf(waiting, request), 1);
    this.#project(request.project).waiting -= 1;
  }

  #mayCreate(): boolean {
    if (this.#later) return false;
    const { clock, rate } = this.#options;
    const { tokens, waitMs } = takeToken(this.#tokens, rate, clock.monotonicMs());
    this.#tokens = tokens;
    if (waitMs === 0) return true;
    this.#later = clock.after(waitMs, () => {
      this.#later = undefined;
      this.#handOut();
    });
    return false;
  }
}

export const createSlots = (options: SlotsOptions): Slots => new SlotLedger(options);
