import type { KubeClient } from '#runtime/kube/client/client.ts';
import type { Bundle } from './bundle.ts';
import type { Facts } from './facts.ts';
import type { Problems } from './problems.ts';

/** Limits of a dump. */
export interface DumpLimits {
  /** All entries together, before compression. */
  readonly maxBytes: number;
  /** Per kind and namespace. */
  readonly maxObjects: number;
  /** Maximum number of project namespaces. */
  readonly maxProjects: number;
  /** Per container, counted from the end of the log. */
  readonly logLines: number;
  readonly logBytes: number;
  /** Skip log lines older than this; absent: no limit. */
  readonly logSeconds?: number;
  /** Maximum number of pods whose logs are read. */
  readonly maxLogs: number;
  /** Time limit for reading one log, or the metrics of one pod. */
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

/** Shared by all collectors of a dump. */
export interface DumpContext {
  readonly kube: KubeClient;
  readonly bundle: Bundle;
  readonly problems: Problems;
  readonly facts: Facts;
  readonly limits: DumpLimits;
  readonly signal: AbortSignal;
  /** Reports what is being read. */
  readonly progress: (line: string) => void;
}

/** Adds an entry, or notes that it does not fit. */
export async function addEntry(
  { bundle, problems }: Pick<DumpContext, 'bundle' | 'problems'>,
  name: string,
  text: string,
): Promise<void> {
  if (!(await bundle.add(name, text)))
    problems.note(
      name,
      `skipped: the dump has reached its maximum size (${text.length} more characters); see --max-size`,
    );
}
