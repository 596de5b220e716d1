/** The state of a bucket at earlier times, for a store whose responses are out of date. */
import type { BucketState } from './memory-objects.ts';

/** How far the responses of each kind are behind, in milliseconds. */
export interface Delays {
  readonly head?: number;
  readonly listParts?: number;
  readonly listUploads?: number;
}

interface PastState extends BucketState {
  readonly at: number;
}

/** Remembers the state before and after each request. Tests send few requests. */
export class PastStates {
  readonly #now: BucketState;
  readonly #states: PastState[] = [];

  constructor(now: BucketState) {
    this.#now = now;
    this.record();
  }

  record(): void {
    const { objects, uploads } = this.#now;
    this.#states.push({ at: performance.now(), objects: new Map(objects), uploads: new Map(uploads) });
  }

  /** The store as it was. */
  before(ms: number): BucketState {
    const limit = performance.now() - ms;
    const state = this.#states.findLast(({ at }) => at <= limit) ?? this.#states[0];
    return { objects: new Map(state?.objects), uploads: new Map(state?.uploads) };
  }
}
