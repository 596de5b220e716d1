import { AdministrationError } from '#administration/administration-error.ts';
import { createUserClient } from '#administration/user-client.ts';
import type { Phase, ZipJob } from '#crds/zip-job.ts';
import { RESOURCES } from '#runtime/kube/resources.ts';
import { FORMAT } from '../../../format.ts';
import { toListedJob } from '../../../live/listed-job.ts';
import type { PageRequest } from '../../../page.ts';
import { lookOf, phaseOf } from '../job-progress.ts';
import type { BulkAction } from './bulk-actions.ts';

/** A few at a time, so that one form does not delay the other requests of the dashboard to the API server. */
const AT_A_TIME = 8;

/** In order, `AT_A_TIME` at once. */
export const forEachJob = async <T>(
  names: readonly string[],
  task: (name: string) => Promise<T>,
): Promise<readonly T[]> => {
  const results: T[] = [];
  for (let start = 0; start < names.length; start += AT_A_TIME)
    results.push(...(await Promise.all(names.slice(start, start + AT_A_TIME).map(task))));
  return results;
};

/** What will happen to one job. */
export interface PlannedJob {
  readonly name: string;
  readonly href: string;
  /** Empty for a job that was not found. */
  readonly key: string;
  readonly phase: Phase | '';
  readonly look: string;
  /** Why nothing will happen; otherwise empty. */
  readonly refusal: string;
}

const planned = (
  { namespace, name }: Pick<ZipJob['metadata'], 'namespace' | 'name'>,
  job: ZipJob | undefined,
  refusal: string,
): PlannedJob => {
  const phase = job === undefined ? '' : phaseOf(toListedJob(job));
  return {
    name,
    href: FORMAT.path('projects', namespace, 'jobs', name),
    key: job?.spec.key ?? '',
    phase,
    look: phase === '' ? '' : lookOf(phase),
    refusal,
  };
};

/** Reads each job with the token of the user. Throws only if the session has ended. */
export const planOf = (
  { user, namespace, signal }: PageRequest,
  { obstacle }: Pick<BulkAction, 'obstacle'>,
  names: readonly string[],
): Promise<readonly PlannedJob[]> => {
  const zipJobs = createUserClient(user.kube, RESOURCES.zipJobs);
  return forEachJob(names, async (name) => {
    const of = { namespace, name };
    try {
      const job = await zipJobs.get(namespace, name, signal);
      return planned(of, job, job === undefined ? 'The job no longer exists.' : obstacle(job));
    } catch (error) {
      if (!(error instanceof AdministrationError) || error.code === 'Unauthorized') throw error;
      return planned(of, undefined, error.message);
    }
  });
};
