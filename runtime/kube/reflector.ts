import type { Logger } from '../log.ts';
import type { KubeClient } from './client.ts';
import type { Change, KubeObject, Reflector, ResourceDefinition } from './types.ts';

export interface ReflectorSettings {
  /** Objects of one page of a list. */
  readonly pageSize: number;
  /** The server ends each watch after this long, plus up to a third; it sends a bookmark just before. */
  readonly watchTimeoutSeconds: number;
  /** A watch without a byte for this long is given up; longer than any watch lasts when all is well. */
  readonly silenceLimitMs: number;
  readonly minBackoffMs: number;
  readonly maxBackoffMs: number;
}

/** What a reflector counts; every call is cheap and never throws. */
export interface ReflectorMetrics {
  relisted(kind: string, reason: string): void;
  watchEnded(kind: string, reason: string): void;
  eventReceived(kind: string): void;
}

export interface ReflectorOptions<T extends KubeObject> {
  readonly kube: KubeClient;
  readonly definition: ResourceDefinition<T>;
  /** Every namespace when absent. */
  readonly namespace?: string;
  readonly fieldSelector?: string;
  readonly labelSelector?: string;
  /** Index name -> the values under which an object is found by `byIndex`. */
  readonly indexes?: Readonly<Record<string, (object: T) => readonly string[]>>;
  /** Applied to every object before it is kept, to drop what nobody reads. managedFields are dropped always. */
  readonly transform?: (object: T) => T;
  /** Told of every change after the cache has it. What it throws is logged. */
  readonly onChange?: (change: Change<T>) => void;
  readonly log: Logger;
  readonly settings?: Partial<ReflectorSettings>;
  readonly metrics?: ReflectorMetrics;
}

/** A cache of one kind, kept by list and watch. */
export declare const createReflector: <T extends KubeObject>(options: ReflectorOptions<T>) => Reflector<T>;
