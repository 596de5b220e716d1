import type { KubeClient } from '#runtime/kube/client.ts';
import type { Bundle } from './bundle.ts';
import type { Facts } from './facts.ts';
import type { Problems } from './problems.ts';

/** Bounds of a dump. */
export interface DumpLimits {
  /** Of all entries together, before compression. */
  readonly maxBytes: number;
  /** Of one kind in one namespace. */
  readonly maxObjects: number;
  /** Namespaces that are looked into. */
  readonly maxProjects: number;
  /** Of one container's log, from its end. */
  readonly logLines: number;
  readonly logBytes: number;
  /** Lines that are older are left out; absent: none are. */
  readonly logSeconds?: number;
  /** Pods whose logs are read. */
  readonly maxLogs: number;
  /** Time for reading one log, or the metrics of one pod. */
  readonly readMs: number;
}

export const DUMP_LIMITS: DumpLimits = {
  maxBytes: 256 * 1024 * 1024,
  maxObjects: 2_000,
  maxProjects: 100,
  logLines: 5_000,
  logBytes: 2 * 1024 * 1024,
  maxLogs: 200,
  readMs: 30_000,
};

/** What every part of a dump works with. */
export interface DumpContext {
  readonly kube: KubeClient;
  readonly bundle: Bundle;
  readonly problems: Problems;
  readonly facts: Facts;
  readonly limits: DumpLimits;
  readonly signal: AbortSignal;
  /** Says what is being read. */
  readonly progress: (line: string) => void;
}

/** Adds an entry, or notes that it does not fit. */
export const addEntry = async (
  { bundle, problems }: Pick<DumpContext, 'bundle' | 'problems'>,
  name: string,
  text: string,
): Promise<void> => {
  if (!(await bundle.add(name, text)))
    problems.note(
      name,
      `left out: the dump has reached its size (${text.length} characters more); see --max-size`,
    );
};
