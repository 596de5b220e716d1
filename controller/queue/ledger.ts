import { uidOf } from '#crds/object-meta.ts';
import { hasActivePod, isFinished, type ZipJob } from '#crds/zip-job.ts';
import { awaitsRecovery } from '#crds/zip-job-facts.ts';
import { type Change, type ObjectKey, objectKey } from '#runtime/kube/types.ts';
import type { Clock } from '#runtime/time/clock.ts';
import { type Blocked, isHeld, olderJobFirst } from './blocked.ts';
import { type KeyQueue, KeyQueues } from './key-queue.ts';
import { type Entry, isActive, isUnknown, type RequestOptions, requestOf, targetIn } from './ledger-entry.ts';
import type { Pause } from './pause.ts';
import { nextRequest, reachedLimit, type SlotLimits, type SlotRequest } from './queue-order.ts';
import { MutableQueueState } from './queue-state.ts';
import { TokenBucket, type TokenRate } from './token-bucket.ts';

/*
 * Where a job is between its creation and the end of its pod, and what moves it on:
 *
 *        seen, not suspended          reserve()                 handed out             hold()
 *     none ────────────────> queued ────────────> waiting ────────────────> reserved ────────> running
 *      ^                        ^                    │                          │                  │
 *      │                        └────────────────────┴──────── release() ───────┴──────────────────┘
 *      └── forget(): it is finished and its pod is gone, it was deleted, or it was suspended while it was not active
 *
 * - queued: it has its place among the jobs that write the same object (`KeyQueue`), oldest first, and requests nothing.
 * - waiting: the reconciler wants to start it. Only the next job of its object is in the queue for slots (`MutableQueueState`), so
 *   a change costs the same however many follow.
 * - reserved: it has a slot under every limit, and `act` may create its Job. `onReserved` has it reconciled.
 * - running: its Job exists, or may exist. `hold` enforces no limit, because the pod runs already: after a restart of the controller,
 *   the caches bring running jobs from none to running at once.
 *
 * Slots are handed out (`#handOut`) after everything that may have freed one: in the order of `nextRequest`, while no pause is in
 * force and the rate of starts allows it. A suspended job leaves when it is no longer active.
 */

/** What the ledger knows of a job. `reserved`: it may create its Job. `running`: its Job exists, or may exist. */
export interface Position {
  readonly state: 'none' | 'waiting' | 'reserved' | 'running';
  /** Undefined if the job may start, or may request to. */
  readonly blocked?: Blocked;
}

export interface LedgerOptions extends RequestOptions {
  readonly limits: SlotLimits;
  readonly pause: Pick<Pause, 'reason'>;
  /** Maximum rate of Job creations. */
  readonly rate: TokenRate;
  readonly clock: Clock;
  /** Called for every job that gets a reservation after waiting. */
  readonly onReserved: (key: ObjectKey) => void;
  /** Called for every job that becomes the next one of its key and has not requested a reservation. */
  readonly onNext: (key: ObjectKey) => void;
}

/**
 * The only record of which jobs wait, have a reservation, or run. It enforces every limit: in total, per project, per
 * bucket, and one active job per key of a bucket. It follows the caches; only `act` reserves and releases.
 */
export interface Ledger {
  /**
   * Updates from the cache of ZipJobs: a queued job gets its place in the queue of its key, and a job is running from Starting until
   * it is finished and its pod is gone. While its recovery cannot continue, it takes no slot, but no other job writes its key.
   */
  see(change: Change<ZipJob>): void;
  /** Call this when a ZipBucket changed: its jobs may write other objects now. */
  seeBucket(bucket: ObjectKey): void;
  /** Records a job whose Job exists or may exist, regardless of limits. */
  hold(zipJob: ZipJob): void;
  /** Requests a reservation. If the position is blocked, the job is queued and `onReserved` is called later. */
  reserve(zipJob: ZipJob): Position;
  /**
   * Releases the reservation or the request for one; with `seen`, only if the job is still in that state. The job keeps its place in the
   * queue of its key.
   */
  release(key: ObjectKey, seen?: Position['state']): void;
  /** Drops a job that does not exist. */
  forget(key: ObjectKey): void;
  /** True for a job that is requeued when it can do something: it waits for a slot, or behind another of its key. */
  isWaiting(key: ObjectKey): boolean;
  /** Has no side effects. */
  position(zipJob: ZipJob): Position;
  /** True if an unfinished job of another project may write the same object. */
  sharesTarget(zipJob: ZipJob): boolean;
  /** Reserves for waiting jobs after a limit changed or a pause ended. */
  refresh(): void;
}

class AdmissionLedger implements Ledger {
  readonly #options: LedgerOptions;
  readonly #entries = new Map<ObjectKey, Entry>();
  /** Waiting requests of which no other job comes first, and counts of active ones. */
  readonly #state = new MutableQueueState();
  readonly #keys = new KeyQueues();
  /** The jobs of each ZipBucket, because what they write depends on it. */
  readonly #buckets = new Map<ObjectKey, Set<Entry>>();
  /** The physical bucket of each ZipBucket, as its jobs were last moved to it. */
  readonly #places = new Map<ObjectKey, string>();
  readonly #starts: TokenBucket;

  constructor(options: LedgerOptions) {
    this.#options = options;
    this.#starts = new TokenBucket(options.rate, options.clock, () => this.#handOut());
  }

  see(change: Change<ZipJob>): void {
    if (change.kind === 'deleted') {
      this.forget(change.key);
      return;
    }
    const { object, key } = change;
    this.#forgetOther(object);
    if (isFinished(object) && !hasActivePod(object)) this.forget(key);
    else if (object.status?.phase !== undefined && object.status.phase !== 'Queued') this.#follow(object);
    else this.#seeQueued(object);
  }

  seeBucket(bucket: ObjectKey): void {
    const place = this.#options.physicalBucket(bucket);
    // Most changes of a ZipBucket are of its status.
    if (place === this.#places.get(bucket)) return;
    if (place === undefined) this.#places.delete(bucket);
    else this.#places.set(bucket, place);
    for (const entry of this.#buckets.get(bucket) ?? [])
      this.#moveTarget(entry, targetIn(bucket, place, entry));
    this.#handOut();
  }

  hold(zipJob: ZipJob): void {
    this.#forgetOther(zipJob);
    const entry = this.#entryOf(zipJob);
    if (isActive(entry)) entry.state = 'running';
    else this.#activate(entry, 'running');
  }

  reserve(zipJob: ZipJob): Position {
    this.#forgetOther(zipJob);
    const entry = this.#entryOf(zipJob);
    if (entry.state === 'queued') {
      entry.state = 'waiting';
      if (this.#isNext(entry)) this.#state.enqueue(entry.request);
    }
    this.#handOut(entry.request.key);
    return this.position(zipJob);
  }

  release(key: ObjectKey, seen?: Position['state']): void {
    const entry = this.#entries.get(key);
    if (!entry || entry.state === 'queued' || (seen !== undefined && entry.state !== seen)) return;
    const { request } = entry;
    const wasActive = isActive(entry);
    if (!wasActive && this.#isNext(entry)) this.#state.dequeue(request);
    entry.state = 'queued';
    if (!wasActive) return;
    this.#state.deactivate(request);
    this.#requeue(entry);
    this.#handOut();
  }

  forget(key: ObjectKey): void {
    const entry = this.#entries.get(key);
    if (!entry) return;
    const { request } = entry;
    const ofBucket = this.#buckets.get(request.bucket);
    ofBucket?.delete(entry);
    if (ofBucket?.size === 0) this.#buckets.delete(request.bucket);
    if (isActive(entry)) this.#state.deactivate(request);
    this.#changeQueue(request, (queue) => queue.remove(request));
    this.#entries.delete(key);
    this.#handOut();
  }

  isWaiting(key: ObjectKey): boolean {
    const entry = this.#entries.get(key);
    return entry?.state === 'waiting' || (entry?.state === 'queued' && !this.#isNext(entry));
  }

  position(zipJob: ZipJob): Position {
    const entry = this.#entries.get(objectKey(zipJob));
    if (!entry || entry.request.uid !== uidOf(zipJob)) return { state: 'none' };
    const state = entry.state === 'queued' ? 'none' : entry.state;
    const blocked = this.#blocked(entry);
    return { state, ...(blocked && { blocked }) };
  }

  sharesTarget(zipJob: ZipJob): boolean {
    const entry = this.#entries.get(objectKey(zipJob));
    return this.#keys.isShared(entry?.request ?? requestOf(zipJob, this.#options));
  }

  refresh(): void {
    this.#handOut();
  }

  #blocked(entry: Entry): Blocked | undefined {
    const { request, state } = entry;
    const { pause, limits, rate } = this.#options;
    const before = this.#keys.find(request)?.before(request);
    if (before !== undefined) return olderJobFirst(before);
    if (state === 'queued') return undefined;
    if (pause.reason !== undefined)
      return { reason: 'Paused', message: `all jobs are paused: ${pause.reason}` };
    if (state !== 'waiting') return undefined;
    const message =
      reachedLimit(this.#state, request, limits) ?? `at most ${rate.perSecond} jobs can start per second`;
    return { reason: 'SlotsTaken', message };
  }

  #isNext({ request }: Entry): boolean {
    return this.#keys.find(request)?.next() === request;
  }

  /** The entry of the job, which gets its place in the queue of its key if it is new. */
  #entryOf(zipJob: ZipJob): Entry {
    const request = requestOf(zipJob, this.#options);
    const known = this.#entries.get(request.key);
    if (known) return known;
    const entry: Entry = { request, state: 'queued' };
    this.#entries.set(request.key, entry);
    const ofBucket = this.#buckets.get(request.bucket) ?? new Set();
    this.#buckets.set(request.bucket, ofBucket.add(entry));
    this.#changeQueue(request, (queue) => queue.add(request));
    return entry;
  }

  #seeQueued(zipJob: ZipJob): void {
    const known = this.#entries.get(objectKey(zipJob));
    if (known) known.isHeld = isHeld(zipJob);
    if (!isHeld(zipJob)) this.#entryOf(zipJob);
    else if (known && !isActive(known)) this.forget(objectKey(zipJob));
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
    if (known && known.request.uid !== uidOf(zipJob)) this.forget(key);
  }

  /** An active job keeps writing the object that it started to write, which may only become known later. */
  #moveTarget(entry: Entry, target: string): void {
    const { request } = entry;
    if (target === request.target || (isActive(entry) && !isUnknown(request))) return;
    this.#changeQueue(request, (queue) => queue.remove(request));
    const moved = { ...request, target };
    entry.request = moved;
    this.#changeQueue(moved, (queue) => (isActive(entry) ? queue.activate(moved) : queue.add(moved)));
    if (entry.state === 'queued' && this.#isNext(entry)) this.#options.onNext(moved.key);
  }

  /** Gives a job that is no longer active its place in the queue of its key, which may have changed meanwhile. */
  #requeue(entry: Entry): void {
    const { request } = entry;
    const { key, bucket } = request;
    if (entry.isHeld === true) {
      this.forget(key);
      return;
    }
    const target = targetIn(bucket, this.#options.physicalBucket(bucket), entry);
    if (target !== request.target) {
      this.#changeQueue(request, (queue) => queue.deactivate(request));
      entry.request = { ...request, target };
    }
    const { request: queued } = entry;
    this.#changeQueue(queued, (queue) => {
      queue.deactivate(queued);
      queue.add(queued);
    });
  }

  #activate(entry: Entry, state: 'reserved' | 'running'): void {
    const { request } = entry;
    this.#changeQueue(request, (queue) => queue.activate(request));
    entry.state = state;
    this.#state.activate(request);
  }

  /**
   * Changes the queue of the key that the request is for. Only the next job of a key waits for a slot, so that the cost of a change does
   * not depend on how many follow.
   */
  #changeQueue(request: SlotRequest, change: (queue: KeyQueue) => void): void {
    const queue = this.#keys.of(request);
    const before = queue.next();
    change(queue);
    const next = queue.next();
    if (before !== next) {
      if (before && this.#entries.get(before.key)?.state === 'waiting') this.#state.dequeue(before);
      if (next && this.#entries.get(next.key)?.state === 'waiting') this.#state.enqueue(next);
      // The job itself is reconciled anyway.
      else if (next && next.key !== request.key) this.#options.onNext(next.key);
    }
    this.#keys.forgetEmpty(request);
  }

  /** Reserves in queue order while the limits leave room; does not notify the job that is requesting. */
  #handOut(requesting?: ObjectKey): void {
    while (this.#options.pause.reason === undefined) {
      const request = nextRequest(this.#state, this.#options.limits);
      const entry = request && this.#entries.get(request.key);
      if (!entry || (request.isLimited && !this.#starts.take())) return;
      this.#activate(entry, 'reserved');
      this.#state.served(request);
      if (request.key !== requesting) this.#options.onReserved(request.key);
    }
  }
}

export function createLedger(options: LedgerOptions): Ledger {
  return new AdmissionLedger(options);
}
