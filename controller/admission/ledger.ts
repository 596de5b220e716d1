import { hasActivePod, isFinished, type ZipJob } from '#crds/zip-job.ts';
import { awaitsRecovery } from '#crds/zip-job-facts.ts';
import type { Clock } from '#runtime/clock.ts';
import { type Change, type ObjectKey, objectKey } from '#runtime/kube/types.ts';
import { bucketKeyOf, targetOf } from '../kube-state/caches.ts';
import type { Pause } from './pause.ts';
import { type Blocked, olderJobFirst, orderOf } from './queue-decision.ts';
import {
  conflictingJob,
  nextRequest,
  reachedLimit,
  type SlotLimits,
  type SlotRequest,
} from './queue-order.ts';
import { MutableQueueState } from './queue-state.ts';
import { type TokenRate, takeToken } from './token-bucket.ts';
import { isInTrustedQueue } from './trusted-queue.ts';

/** What the ledger knows of a job. `reserved`: it may create its Job. `running`: its Job exists, or may exist. */
export interface Position {
  readonly state: 'none' | 'waiting' | 'reserved' | 'running';
  /** Undefined if the job may start, or has not requested it. */
  readonly blocked?: Blocked;
}

export interface LedgerOptions {
  readonly limits: SlotLimits;
  /** Jobs in these queues take no slot: while suspended there, they would block others. */
  readonly trustedQueues: readonly string[];
  readonly pause: Pick<Pause, 'reason'>;
  /** Maximum rate of Job creations. */
  readonly rate: TokenRate;
  readonly clock: Clock;
  /** Called for every job that gets a reservation after waiting. */
  readonly onReserved: (key: ObjectKey) => void;
}

/**
 * The only record of which jobs wait, have a reservation, or run. It enforces every limit: in total, per project, per
 * bucket, and one active job per key of a bucket. It follows the caches; only `act` reserves and releases.
 */
export interface Ledger {
  /**
   * Updates from the cache of ZipJobs: a job is running from Starting until it is finished and its pod is gone. While its
   * recovery cannot continue, it counts against the limits of its project and bucket, but not in total.
   */
  see(change: Change<ZipJob>): void;
  /** Records a job whose Job exists or may exist, regardless of limits. */
  hold(zipJob: ZipJob): void;
  /** Requests a reservation. If the position is blocked, the job is queued and `onReserved` is called later. */
  reserve(zipJob: ZipJob): Position;
  /** Releases the reservation or the place in the queue; with `seen`, only if the job is still in that state. */
  release(key: ObjectKey, seen?: Position['state']): void;
  /** Whether the job is queued here. */
  isWaiting(key: ObjectKey): boolean;
  /** Has no side effects. */
  position(zipJob: ZipJob): Position;
  /** Reserves for waiting jobs after a limit changed or a pause ended. */
  refresh(): void;
}

interface Entry {
  readonly request: SlotRequest;
  state: 'waiting' | 'reserved' | 'running';
}

const uidOf = ({ metadata }: ZipJob): string => metadata.uid ?? '';

class AdmissionLedger implements Ledger {
  readonly #options: LedgerOptions;
  readonly #entries = new Map<ObjectKey, Entry>();
  readonly #state = new MutableQueueState();
  #tokens: { readonly left: number; readonly atMs: number };
  #later: Disposable | undefined;

  constructor(options: LedgerOptions) {
    this.#options = options;
    this.#tokens = { left: options.rate.burst, atMs: options.clock.monotonicMs() };
  }

  see(change: Change<ZipJob>): void {
    if (change.kind === 'deleted') {
      this.release(change.key);
      return;
    }
    const { object, key } = change;
    if (isFinished(object) && !hasActivePod(object)) this.release(key);
    else if (object.status?.phase !== undefined && object.status.phase !== 'Queued') this.#follow(object);
    else this.#forgetOther(object);
  }

  hold(zipJob: ZipJob): void {
    this.#forgetOther(zipJob);
    const known = this.#entries.get(objectKey(zipJob));
    if (known && known.state !== 'waiting') {
      known.state = 'running';
      return;
    }
    if (known) this.#state.dequeue(known.request);
    this.#activate(known?.request ?? this.#requestOf(zipJob), 'running');
  }

  reserve(zipJob: ZipJob): Position {
    this.#forgetOther(zipJob);
    const key = objectKey(zipJob);
    if (!this.#entries.has(key)) {
      const request = this.#requestOf(zipJob);
      this.#state.enqueue(request);
      this.#entries.set(key, { request, state: 'waiting' });
    }
    this.#handOut(key);
    return this.position(zipJob);
  }

  release(key: ObjectKey, seen?: Position['state']): void {
    const entry = this.#entries.get(key);
    if (!entry || (seen !== undefined && entry.state !== seen)) return;
    this.#entries.delete(key);
    if (entry.state === 'waiting') {
      this.#state.dequeue(entry.request);
      return;
    }
    this.#state.deactivate(entry.request);
    this.#handOut();
  }

  isWaiting(key: ObjectKey): boolean {
    return this.#entries.get(key)?.state === 'waiting';
  }

  position(zipJob: ZipJob): Position {
    const entry = this.#entries.get(objectKey(zipJob));
    if (!entry || entry.request.uid !== uidOf(zipJob)) return { state: 'none' };
    const blocked = this.#blocked(entry);
    return { state: entry.state, ...(blocked && { blocked }) };
  }

  refresh(): void {
    this.#handOut();
  }

  #blocked({ request, state }: Entry): Blocked | undefined {
    const { pause, limits, rate } = this.#options;
    if (pause.reason !== undefined)
      return { reason: 'Paused', message: `all jobs are paused: ${pause.reason}` };
    if (state !== 'waiting') return undefined;
    const other = conflictingJob(this.#state, request);
    if (other !== undefined) return olderJobFirst(other.slice(other.indexOf('/') + 1));
    const message =
      reachedLimit(this.#state, request, limits) ?? `at most ${rate.perSecond} jobs can start per second`;
    return { reason: 'SlotsTaken', message };
  }

  #requestOf(zipJob: ZipJob): SlotRequest {
    return {
      key: objectKey(zipJob),
      uid: uidOf(zipJob),
      project: zipJob.metadata.namespace,
      bucket: bucketKeyOf(zipJob),
      target: targetOf(zipJob),
      order: orderOf(zipJob),
      isLimited: !isInTrustedQueue(zipJob, this.#options.trustedQueues),
    };
  }

  #follow(started: ZipJob): void {
    this.hold(started);
    const entry = this.#entries.get(objectKey(started));
    const isAwaiting = awaitsRecovery(started);
    if (entry && this.#state.setAwaitingRecovery(entry.request, isAwaiting) && isAwaiting) this.#handOut();
  }

  /** An entry of an earlier ZipJob of the same name does not apply to this one. */
  #forgetOther(zipJob: ZipJob): void {
    const key = objectKey(zipJob);
    const known = this.#entries.get(key);
    if (known && known.request.uid !== uidOf(zipJob)) this.release(key);
  }

  #activate(request: SlotRequest, state: 'reserved' | 'running'): void {
    this.#state.activate(request);
    this.#entries.set(request.key, { request, state });
  }

  /** Reserves in queue order while the limits leave room; does not notify the job that is requesting. */
  #handOut(requesting?: ObjectKey): void {
    while (this.#options.pause.reason === undefined) {
      const request = nextRequest(this.#state, this.#options.limits);
      if (!request || (request.isLimited && !this.#takeToken())) return;
      // Activate first, so that its project is not forgotten in between.
      this.#activate(request, 'reserved');
      this.#state.dequeue(request);
      this.#state.served(request);
      if (request.key !== requesting) this.#options.onReserved(request.key);
    }
  }

  #takeToken(): boolean {
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

export const createLedger = (options: LedgerOptions): Ledger => new AdmissionLedger(options);
