import { createUserClient } from '#administration/changes/user-client.ts';
import { AdministrationError } from '#administration/errors/administration-error.ts';
import type { Phase, ZipJob } from '#crds/zip-job.ts';
import { inBatches } from '#runtime/collections/in-batches.ts';
import { RESOURCES } from '#runtime/kube/resources.ts';
import type { PageRequest } from '../../http/page.ts';
import { toListedJob } from '../../live/listed-job.ts';
import { FORMAT } from '../../ui/format.ts';
import { lookOf, phaseOf } from '../job-progress.ts';
import type { BulkAction, CachedJobs } from './bulk-actions.ts';

/** A few at a time, so that one form does not delay the other requests of the dashboard to the API server. */
const AT_A_TIME = 8;

/** In order, `AT_A_TIME` at once. */
function forEachJob<T>(names: readonly string[], task: (name: string) => Promise<T>): Promise<readonly T[]> {
  return inBatches(names, AT_A_TIME, task);
}

/**
 * Changes each job. The error of one job is its outcome and does not stop the others.
 * @throws AdministrationError Unauthorized if the API server rejected the token for every job
 */
export async function outcomeOfEach<T>(
  names: readonly string[],
  change: (name: string) => Promise<T>,
  failed: (name: string, error: AdministrationError) => T,
): Promise<readonly T[]> {
  const rejected: unknown[] = [];
  const outcomes = await forEachJob(names, async (name) => {
    try {
      return await change(name);
    } catch (error) {
      if (!(error instanceof AdministrationError)) throw error;
      if (error.code === 'Unauthorized') rejected.push(error);
      return failed(name, error);
    }
  });
  if (rejected.length > 0 && rejected.length === names.length) throw rejected[0];
  return outcomes;
}

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
  /** It is left out because it would fail in the same way; `refusal` says so. */
  readonly isFutile: boolean;
  /** What the user should know before it happens; otherwise empty. */
  readonly note: string;
}

const NOTHING = { refusal: '', isFutile: false, note: '' } as const;
const FUTILE = 'It would fail in the same way. Send a new request instead.';

function planned(
  { namespace, name }: Pick<ZipJob['metadata'], 'namespace' | 'name'>,
  job: ZipJob | undefined,
  texts: Pick<PlannedJob, 'refusal' | 'isFutile' | 'note'>,
): PlannedJob {
  const phase = job === undefined ? '' : phaseOf(toListedJob(job));
  return {
    name,
    href: FORMAT.path('projects', namespace, 'jobs', name),
    key: job?.spec.key ?? '',
    phase,
    look: phase === '' ? '' : lookOf(phase),
    ...texts,
  };
}

/** Reads each job with the token of the user. Throws only if the session has ended. */
export function planOf(
  { user, namespace }: PageRequest,
  { obstacle, isFutile, note }: Pick<BulkAction, 'obstacle' | 'isFutile' | 'note'>,
  { names, cached }: { readonly names: readonly string[]; readonly cached: CachedJobs },
): Promise<readonly PlannedJob[]> {
  const zipJobs = createUserClient(user.kube, RESOURCES.zipJobs);
  return forEachJob(names, async (name) => {
    const of = { namespace, name };
    try {
      const job = await zipJobs.get(namespace, name);
      if (job === undefined)
        return planned(of, undefined, { ...NOTHING, refusal: 'The job no longer exists.' });
      const refusal = obstacle(job);
      if (refusal !== '') return planned(of, job, { ...NOTHING, refusal });
      if (isFutile(toListedJob(job)))
        return planned(of, job, { ...NOTHING, isFutile: true, refusal: FUTILE });
      return planned(of, job, { ...NOTHING, note: note(job, cached) });
    } catch (error) {
      if (!(error instanceof AdministrationError) || error.code === 'Unauthorized') throw error;
      return planned(of, undefined, { ...NOTHING, refusal: error.message });
    }
  });
}
