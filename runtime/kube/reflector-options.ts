import type { Clock } from '../clock.ts';
import type { Logger } from '../log.ts';
import type { KubeClient } from './client.ts';
import type { Indexers } from './object-cache.ts';
import type { Change, KubeObject, ResourceDefinition } from './types.ts';

export interface ReflectorSettings {
  /** Objects of one page of a list. */
  readonly pageSize: number;
  /**
   * The server ends each watch after this long plus up to a third, and sends a bookmark two seconds before. So a healthy
   * watch is never silent for longer than that, however little happens, and the next one goes on where it ended.
   */
  readonly watchTimeoutSeconds: number;
  /** A watch without a byte for this long is given up; must be longer than any healthy watch is silent. */
  readonly silenceLimitMs: number;
  /** First and longest wait after a failure; doubled in between, with jitter. */
  readonly minBackoffMs: number;
  readonly maxBackoffMs: number;
}

export const REFLECTOR_DEFAULTS: ReflectorSettings = {
  pageSize: 500,
  watchTimeoutSeconds: 30,
  silenceLimitMs: 45_000,
  minBackoffMs: 200,
  maxBackoffMs: 30_000,
};

/** What a reflector counts; `reason` is from a closed set (KubeError codes and `start`, `ended`, `cut short`). */
export interface ReflectorMetrics {
  relisted(kind: string, reason: string): void;
  watchEnded(kind: string, reason: string): void;
  eventReceived(kind: string): void;
}

export interface ReflectorOptions<T extends KubeObject> {
  readonly kube: KubeClient;
  /** Made with keptAs where the cache keeps only a part of each object. managedFields are always dropped. */
  readonly definition: ResourceDefinition<T>;
  /** Every namespace when absent. */
  readonly namespace?: string;
  readonly fieldSelector?: string;
  readonly labelSelector?: string;
  /** Index name -> the values under which an object is found by `byIndex`. */
  readonly indexes?: Indexers<T>;
  /** Told of every change after the cache has it. What it throws is logged. */
  readonly onChange?: (change: Change<T>) => void;
  readonly log: Logger;
  readonly settings?: Partial<ReflectorSettings>;
  readonly metrics?: ReflectorMetrics;
  readonly clock?: Clock;
}
