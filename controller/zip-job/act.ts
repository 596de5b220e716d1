import { ANNOTATIONS } from '#crds/api-group.ts';
import { rfc3339 } from '#crds/conditions.ts';
import type { ZipJob } from '#crds/zip-job.ts';
import { defined } from '#runtime/collections/optional.ts';
import { isKubeError } from '#runtime/kube/client/kube-error.ts';
import { objectKey } from '#runtime/kube/types.ts';
import type { ActOptions } from './actions/act-options.ts';
import { prepare } from './actions/checkpoint.ts';
import { type Current, createJob } from './actions/create-job.ts';
import { endPod } from './actions/end-pod.ts';
import { AGAIN, DONE, type Fresh, GONE, kept, type Outcome } from './actions/outcome.ts';
import { guarded, patchMetadata } from './actions/versioned-write.ts';
import { writeStatus } from './actions/write-status.ts';
import { jobFacts } from './job-facts.ts';
import type { Action, Decision, Observation } from './observation.ts';

/** Ends the pod of a node that does not respond, as the pod garbage collector does. */
async function forceDeletePod(
  options: ActOptions,
  namespace: string,
  { name, uid }: Extract<Action, { kind: 'forceDeletePod' }>,
): Promise<void> {
  await endPod(
    options,
    { namespace, name, uid },
    {
      phase: 'Failed',
      disruption: { reason: 'PodLost', message: 'the node of the pod does not respond' },
    },
  );
}

/** The Job controller fails a Job that has more failed pods than its limit, and keeps its pods. */
async function failJob(
  { jobs }: ActOptions,
  namespace: string,
  { name, uid }: Extract<Action, { kind: 'failJob' }>,
): Promise<void> {
  try {
    await jobs.mergePatch({ namespace, name }, { metadata: { uid }, spec: { backoffLimit: 0 } });
  } catch (error) {
    if (!isKubeError(error, 'NotFound', 'Conflict')) throw error;
  }
}

const LOCAL = ['reserve', 'release', 'discardDelivery', 'deliverWebhook'] as const;

/** Actions on the state of this process; none calls the API server. */
type LocalAction = Extract<Action, { readonly kind: (typeof LOCAL)[number] }>;

function isLocal(action: Action): action is LocalAction {
  return LOCAL.some((kind) => kind === action.kind);
}

function performLocally(options: ActOptions, zipJob: ZipJob, action: LocalAction): Fresh {
  switch (action.kind) {
    case 'reserve':
      // If the job is blocked, the next observation contains the reason.
      return options.ledger.reserve(zipJob).blocked ? { end: AGAIN } : kept(zipJob);
    case 'release':
      options.ledger.release(objectKey(zipJob), action.state);
      return kept(zipJob);
    case 'discardDelivery':
      options.dispatcher.acknowledge(objectKey(zipJob), action.endpoint);
      return kept(zipJob);
    case 'deliverWebhook':
      options.dispatcher.submit(options.planDelivery(zipJob, action.endpoint));
      return kept(zipJob);
  }
}

/** Deletes the Secrets of the file list by name, and records it so that they are not deleted again. */
async function deleteFileList(
  options: ActOptions,
  zipJob: ZipJob,
  secretNames: readonly string[],
): Promise<Fresh> {
  const { namespace } = zipJob.metadata;
  for (const name of secretNames) {
    try {
      await options.secrets.delete(namespace, name);
    } catch (error) {
      if (!isKubeError(error, 'Forbidden')) throw error;
      options.log.warn({ err: error, ...jobFacts(zipJob) }, 'no permission to delete a file list');
    }
  }
  const deletedAt = rfc3339(options.clock.date());
  return patchMetadata(options, zipJob, { annotations: { [ANNOTATIONS.fileListDeletedAt]: deletedAt } });
}

export type Act = (seen: Observation, decision: Decision) => Promise<Outcome>;

/** Ends one Job or pod. */
async function endOne(
  options: ActOptions,
  namespace: string,
  action: Extract<Action, { readonly uid: string }>,
): Promise<void> {
  switch (action.kind) {
    case 'deleteJob':
      await options.jobs.delete(namespace, action.name, { uid: action.uid, propagationPolicy: 'Background' });
      return;
    case 'failJob':
      return failJob(options, namespace, action);
    case 'forceDeletePod':
      return forceDeletePod(options, namespace, action);
  }
}

async function perform(options: ActOptions, current: Current, action: Action): Promise<Fresh> {
  const { zipJob } = current;
  if (isLocal(action)) return performLocally(options, zipJob, action);
  const { namespace } = zipJob.metadata;
  if ('uid' in action) {
    await endOne(options, namespace, action);
    return kept(zipJob);
  }
  switch (action.kind) {
    case 'addFinalizer':
      return guarded(options, zipJob, () => options.finalizers.add(zipJob));
    case 'removeFinalizer':
      return release(options, zipJob, action);
    case 'createJob':
      return { end: await createJob(options, current, action) };
    case 'freeQuota':
      await options.quotaRoom.free(namespace, action.refusal);
      return kept(zipJob);
    case 'deleteFileList':
      return deleteFileList(options, zipJob, action.secretNames);
    case 'deleteZipJob':
      return deleteZipJob(options, zipJob, action);
  }
}

async function deleteZipJob(
  options: ActOptions,
  zipJob: ZipJob,
  { isUnstored }: Extract<Action, { kind: 'deleteZipJob' }>,
): Promise<Fresh> {
  const { namespace, name, uid } = zipJob.metadata;
  await options.zipJobs.delete(namespace, name, { ...defined({ uid }), propagationPolicy: 'Background' });
  if (isUnstored === true) noteUnstored(options, zipJob, 'full');
  return { end: GONE };
}

async function release(
  options: ActOptions,
  zipJob: ZipJob,
  { forced, isUnstored }: Extract<Action, { kind: 'removeFinalizer' }>,
): Promise<Fresh> {
  const fresh = await guarded(options, zipJob, () => options.finalizers.release(zipJob, forced));
  if (isUnstored === true && 'zipJob' in fresh) noteUnstored(options, zipJob, 'deleted');
  return fresh;
}

function noteUnstored({ metrics, log }: ActOptions, zipJob: ZipJob, reason: 'deleted' | 'full'): void {
  metrics.history.unstored.inc({ reason });
  log.warn({ ...jobFacts(zipJob), reason }, 'deleting a finished job that is not in the history');
}

async function carryOut(options: ActOptions, seen: Observation, decision: Decision): Promise<Outcome> {
  const status = await prepare(options, seen.zipJob, decision);
  const fresh = status ? await writeStatus(options, seen, status) : kept(seen.zipJob);
  if ('end' in fresh) return fresh.end;
  let { zipJob } = fresh;
  for (const note of decision.events) {
    if (note.type === 'Warning') options.log.warn({ ...jobFacts(zipJob), reason: note.reason }, note.message);
    options.recordEvent(zipJob, note);
  }
  for (const action of decision.actions) {
    const next = await perform(options, { zipJob, isFresh: zipJob !== seen.zipJob }, action);
    if ('end' in next) return next.end;
    zipJob = next.zipJob;
  }
  return decision.status ? AGAIN : DONE;
}

/**
 * Carries out a decision: does what comes before the status, writes it, then records the Events, then runs the actions in order.
 * After an error, a job without a Job gives up its reservation, because a job whose writes are always rejected would hold it forever.
 */
export function createAct(options: ActOptions): Act {
  return async (seen, decision) => {
    try {
      return await carryOut(options, seen, decision);
    } catch (error) {
      options.ledger.release(objectKey(seen.zipJob), 'reserved');
      throw error;
    }
  };
}
