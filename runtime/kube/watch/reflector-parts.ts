import { defined } from '../../collections/optional.ts';
import type { Clock } from '../../time/clock.ts';
import type { ObjectCache } from '../cache/object-cache.ts';
import type { KubeObject } from '../types.ts';
import type { createIngest } from './ingest.ts';
import type { ReflectorOptions, ReflectorSettings } from './reflector-options.ts';
import type { Turn } from './turn.ts';

/** The position of the reflector in the API server's history. */
export interface Progress {
  /** Version to watch from. Undefined: list first. */
  resourceVersion: string | undefined;
  /** The newest version received so far. */
  newest: string | undefined;
  /** A watch ended before its time: the newest version of the server must be known before the next one. */
  mustVerify: boolean;
  /** The server knows less than before, so it gives versions again that it gave before. They identify nothing. */
  isRestored: boolean;
  listReason: string;
  /** The API server refused a list as a watch. */
  needsPages: boolean;
  oldLists: number;
  /** A list or watch failed, and no watch has been accepted since. */
  isInterrupted: boolean;
  /** Failures in a row, which determine the wait. */
  failures: number;
  lastBytesMs: number | undefined;
}

/** The state that the functions of one reflector share. */
export interface Parts<T extends KubeObject> {
  readonly options: ReflectorOptions<T>;
  readonly settings: ReflectorSettings;
  readonly clock: Clock;
  readonly cache: ObjectCache<T>;
  readonly ingest: ReturnType<typeof createIngest<T>>;
  readonly progress: Progress;
  /** Lists of one namespace, lists of all of them, and comparisons. */
  readonly turn: Turn;
}

/** The query of a list of what the reflector keeps. */
export function queryOf<T extends KubeObject>({ options, settings }: Parts<T>, signal: AbortSignal) {
  const { namespace, labelSelector, fieldSelector } = options;
  return { pageSize: settings.pageSize, signal, ...defined({ namespace, labelSelector, fieldSelector }) };
}
