import type { ZipJob } from '#crds/zip-job.ts';
import { isKubeError, KubeError } from '#runtime/kube/client/kube-error.ts';
import { objectKey } from '#runtime/kube/types.ts';
import { isOwnedBy } from '../../cluster/ownership.ts';
import { mayBeExecuted, refusalAfter } from '../../reconciling/refusal.ts';
import { jobFacts } from '../job-facts.ts';
import type { Action } from '../observation.ts';
import { hasHistory } from '../policies/archiving.ts';
import type { ActOptions } from './act-options.ts';
import { AGAIN, DONE, type Outcome } from './outcome.ts';
import { guarded, refresh } from './versioned-write.ts';

/** A ZipJob, and whether it comes from a live read instead of the cache. */
export interface Current {
  readonly zipJob: ZipJob;
  readonly isFresh: boolean;
}

type CreateJob = Extract<Action, { kind: 'createJob' }>;

/** Creates nothing for a ZipJob that changed since the decision: it may be finished, deleted, replaced or cancelled. */
function isStillWanted(seen: ZipJob, live: ZipJob | undefined, action: CreateJob): live is ZipJob {
  return (
    live !== undefined &&
    live.metadata.uid === seen.metadata.uid &&
    (action.target === 'recover' ||
      (live.metadata.resourceVersion === seen.metadata.resourceVersion &&
        live.metadata.deletionTimestamp === undefined &&
        live.spec.cancel !== true &&
        live.spec.suspend !== true))
  );
}

async function refuse(
  options: ActOptions,
  zipJob: ZipJob,
  refused: { readonly error: KubeError; readonly target: CreateJob['target'] },
): Promise<Outcome> {
  const { error, target } = refused;
  const isLeaving = zipJob.metadata.deletionTimestamp !== undefined;
  if (isLeaving && isKubeError(error, 'NamespaceTerminating')) {
    // The next observation sees it too, and ends the job for the history.
    if (hasHistory(options.config)) return AGAIN;
    // Nothing can be created in this namespace, so recovery is impossible. The finalizer would block its deletion forever.
    const fresh = await guarded(options, zipJob, () =>
      options.finalizers.release(zipJob, 'NamespaceTerminating'),
    );
    return 'end' in fresh ? fresh.end : DONE;
  }
  const key = objectKey(zipJob);
  if (target === 'archive' && !mayBeExecuted(error)) options.ledger.release(key);
  options.memory.refused(
    key,
    refusalAfter(options.memory.refusal(key), error, { target, now: options.clock.date() }),
  );
  options.log.warn({ err: error, ...jobFacts(zipJob), target }, 'the API server rejected a Job');
  return AGAIN;
}

/** The name works as a lock. An existing Job of that name is ours only if this ZipJob owns it. */
async function send(options: ActOptions, zipJob: ZipJob, { job, target }: CreateJob): Promise<Outcome> {
  const { namespace, name } = job.metadata;
  // Hold the slot before sending: from then on the Job may exist, even if no response arrives.
  if (target === 'archive') options.ledger.hold(zipJob);
  const made = (await options.jobs.create(job)) ?? (await options.jobs.get(namespace, name));
  if (!made) return AGAIN;
  if (target === 'recover' && !isOwnedBy(made, zipJob))
    throw new KubeError(`Could not create Job ${name}: another Job has this name. Delete that Job`, {
      code: 'AlreadyExists',
    });
  options.memory.accepted(objectKey(zipJob));
  return { kind: 'again', hints: target === 'archive' ? { job: made } : { recovery: made } };
}

export async function createJob(
  options: ActOptions,
  { zipJob, isFresh }: Current,
  action: CreateJob,
): Promise<Outcome> {
  const { namespace, name } = zipJob.metadata;
  try {
    const live = isFresh ? zipJob : await options.zipJobs.get(namespace, name);
    if (!isStillWanted(zipJob, live, action)) return await refresh(options, zipJob);
    return await send(options, zipJob, action);
  } catch (error) {
    if (error instanceof KubeError) return refuse(options, zipJob, { error, target: action.target });
    throw error;
  }
}
