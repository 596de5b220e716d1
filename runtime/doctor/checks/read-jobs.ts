import { TERMINAL_PHASES, UNFINISHED, type ZipJob } from '#crds/zip-job.ts';
import { KINDS } from '../kinds.ts';
import type { Listed, Reader } from '../reader.ts';

export interface JobList {
  readonly jobs: readonly ZipJob[];
  readonly isComplete: boolean;
}

/** Only fields that the schema of the definition guarantees are used. */
function jobsIn({ items, isComplete }: Listed): JobList {
  return { jobs: items as readonly ZipJob[], isComplete };
}

/** The jobs of all projects that are not finished. @throws ForbiddenReadError */
export async function unfinishedJobs(reader: Reader): Promise<JobList> {
  return jobsIn(await reader.list(KINDS.ZipJob, { fieldSelector: UNFINISHED }));
}

/** The finished jobs that are still in the cluster. @throws ForbiddenReadError */
export async function finishedJobs(reader: Reader): Promise<JobList> {
  const lists = await Promise.all(
    TERMINAL_PHASES.map((phase) => reader.list(KINDS.ZipJob, { fieldSelector: `status.phase=${phase}` })),
  );
  return jobsIn({
    items: lists.flatMap(({ items }) => items),
    isComplete: lists.every(({ isComplete }) => isComplete),
  });
}

/** By then, several attempts of a webhook have failed, and a history that works has the job: as the alert ZipjobsHistoryLate. */
export const LATE_MS = 900_000;

/** Time since the job finished, in milliseconds. */
export function finishedForMs({ status }: ZipJob, now: Date): number {
  return now.getTime() - Date.parse(status?.finishedAt ?? '');
}

/** `acme/zip-...`, of the first ones. */
export function namesOf(jobs: readonly Pick<ZipJob, 'metadata'>[], most = 3): string {
  const names = jobs.slice(0, most).map(({ metadata: { namespace, name } }) => `${namespace}/${name}`);
  return jobs.length > most ? `${names.join(', ')} and ${jobs.length - most} more` : names.join(', ');
}

/** How many there are of each key, the most frequent first. */
export function countBy<T>(
  items: readonly T[],
  keyOf: (item: T) => string,
): ReadonlyMap<string, readonly T[]> {
  const groups = Map.groupBy(items, keyOf);
  return new Map([...groups].toSorted(([, a], [, b]) => b.length - a.length));
}
