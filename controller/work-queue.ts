import type { Clock } from '#runtime/clock.ts';
import type { Logger } from '#runtime/log.ts';

export interface WorkQueueMetrics {
  depth(keys: number): void;
  added(): void;
  retried(): void;
  /** Seconds between add and start. */
  started(queuedSeconds: number): void;
  finished(workSeconds: number): void;
}

export interface WorkQueueOptions {
  readonly log: Logger;
  readonly baseDelayMs?: number;
  readonly maxDelayMs?: number;
  /** How long `run` waits for keys in hand after its signal aborted. */
  readonly drainTimeoutMs?: number;
  readonly clock?: Clock;
  readonly metrics?: WorkQueueMetrics;
}

export interface WorkQueue {
  add(key: string): void;
  addAfter(key: string, delayMs: number): void;
  /** Adds the key after its own backoff, which doubles each time until `forget`. */
  addRateLimited(key: string): void;
  forget(key: string): void;
  /** A throw of `process` is logged and adds the key rate limited. */
  run(
    process: (key: string, signal: AbortSignal) => Promise<void>,
    options: { readonly workers: number; readonly signal: AbortSignal },
  ): Promise<void>;
  readonly depth: number;
  longestRunningMs(): number;
  /** Sum over the keys in work. */
  unfinishedMs(): number;
}

export declare const createWorkQueue: (options: WorkQueueOptions) => WorkQueue;
