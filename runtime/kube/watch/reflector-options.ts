import type { Logger } from '../../log/log.ts';
import type { Clock } from '../../time/clock.ts';
import type { KeptDefinition } from '../cache/kept-as.ts';
import type { ObjectCacheOptions } from '../cache/object-cache.ts';
import type { KubeClient } from '../client/client.ts';
import type { Change, KubeObject, Reflector } from '../types.ts';

export interface ReflectorSettings {
  /** Objects per page of a list, on API servers that do not support lists as a watch. */
  readonly pageSize: number;
  /** Requests lists as a watch, with pages as the fallback. */
  readonly watchList: boolean;
  /** Time without a byte after which a list as a watch counts as not supported: the server may never send its end. */
  readonly watchListSilenceMs: number;
  /** Time for a whole list as a watch; then pages are requested. */
  readonly watchListLimitMs: number;
  /**
   * The server ends each watch after this time plus up to a third, and sends a bookmark two seconds before. So a
   * healthy watch is never silent for longer, and the next watch resumes at the bookmark.
   */
  readonly watchTimeoutSeconds: number;
  /** The longest time between two comparisons with the names and versions at the API server. */
  readonly compareMs: number;
  /** Time without a byte after which a watch is closed. Must exceed the longest silence of a healthy watch. */
  readonly silenceLimitMs: number;
  /** First and longest wait after a failure. The wait doubles, with jitter. */
  readonly minBackoffMs: number;
  readonly maxBackoffMs: number;
}

export const REFLECTOR_DEFAULTS: ReflectorSettings = {
  pageSize: 500,
  watchList: true,
  watchListSilenceMs: 10_000,
  watchListLimitMs: 120_000,
  watchTimeoutSeconds: 30,
  compareMs: 600_000,
  silenceLimitMs: 45_000,
  minBackoffMs: 200,
  maxBackoffMs: 30_000,
};

/**
 * Counters of a reflector. `reason` of a list is `start`, `Restored` or a KubeError code. `reason` of a watch is `ended` if it lasted as long as
 * requested, `cut short` if the server ended it earlier, or a KubeError code.
 */
export interface ReflectorMetrics {
  relisted(kind: string, reason: string): void;
  watchEnded(kind: string, reason: string): void;
  /** A comparison found changes whose events did not arrive. */
  changesMissed(kind: string, count: number): void;
  eventReceived(kind: string): void;
}

export interface ReflectorOptions<T extends KubeObject> extends Omit<ObjectCacheOptions<T>, 'onRoom'> {
  readonly kube: KubeClient;
  /** Made with keptAs where the cache keeps only a part of each object. managedFields are always dropped. */
  readonly definition: KeptDefinition<T>;
  /** Default: every namespace. */
  readonly namespace?: string;
  readonly fieldSelector?: string;
  readonly labelSelector?: string;
  /** Caches that decide what this one keeps: their first lists come first. Default: none. */
  readonly after?: readonly Pick<Reflector<never>, 'synced'>[];
  /** Called after the cache has applied a change. Errors are logged. */
  readonly onChange?: (change: Change<T>) => void;
  readonly log: Logger;
  readonly settings?: Partial<ReflectorSettings>;
  readonly metrics?: ReflectorMetrics;
  readonly clock?: Clock;
}
