import { ANNOTATIONS, FIELD_MANAGERS, FINALIZER, GROUP_VERSION } from '#crds/api-group.ts';
import { rfc3339 } from '#crds/conditions.ts';
import type { ZipJob } from '#crds/zip-job.ts';
import type { Clock } from '#runtime/clock.ts';
import { isKubeError, KubeError } from '#runtime/kube/kube-error.ts';
import type { Job, Pod, Secret } from '#runtime/kube/resources.ts';
import { type ObjectClient, objectKey } from '#runtime/kube/types.ts';
import type { Logger } from '#runtime/log.ts';
import type { RecordEvent } from './events.ts';
import { isOwnedBy } from './job-state.ts';
import type { Memory } from './memory.ts';
import type { ControllerMetrics } from './metrics.ts';
import type { Action, Decision, Observation, OwnedStatus } from './observation.ts';
import type { Hints } from './observe.ts';
import { refusalAfter } from './refusal.ts';
import { countTransition } from './transition-metrics.ts';
import type { WebhookDispatcher } from './webhook/dispatcher.ts';
import type { EndpointNotes } from './webhook/endpoint-notes.ts';
import type { PlanDelivery } from './webhook/plan-delivery.ts';

export interface ActOptions {
  readonly zipJobs: Pick<ObjectClient<ZipJob>, 'get' | 'apply' | 'mergePatch' | 'delete'>;
  readonly jobs: Pick<ObjectClient<Job>, 'get' | 'create' | 'delete'>;
  readonly pods: Pick<ObjectClient<Pod>, 'apply' | 'delete'>;
  readonly secrets: Pick<ObjectClient<Secret>, 'delete'>;
  readonly memory: Memory;
  readonly recordEvent: RecordEvent;
  readonly dispatcher: WebhookDispatcher;
  readonly endpointNotes: Pick<EndpointNotes, 'add'>;
  readonly planDelivery: PlanDelivery;
  readonly metrics: ControllerMetrics;
  readonly clock: Clock;
  readonly log: Logger;
}

/** `again`: something moved, look once more at once. `gone`: there is no such ZipJob any more. */
export type Outcome =
  | { readonly kind: 'done' }
  | { readonly kind: 'gone' }
  | { readonly kind: 'again'; readonly hints: Hints };

export type Act = (seen: Observation, decision: Decision) => Promise<Outcome>;

const DONE: Outcome = { kind: 'done' };
const GONE: Outcome = { kind: 'gone' };
const AGAIN: Outcome = { kind: 'again', hints: {} };

/** A ZipJob as the API server has it now, or how the pass ends without it. */
type Fresh = { readonly zipJob: ZipJob } | { readonly end: Outcome };

/** Reads the object anew after a write met another version of it. */
const refresh = async (options: ActOptions, zipJob: ZipJob): Promise<Outcome> => {
  const { namespace, name, uid } = zipJob.metadata;
  const live = await options.zipJobs.get(namespace, name);
  if (live?.metadata.uid !== uid || !live) return GONE;
  options.memory.keep(objectKey(live), live);
  return AGAIN;
};

const guarded = async (options: ActOptions, zipJob: ZipJob, write: () => Promise<ZipJob>): Promise<Fresh> => {
  try {
    const written = await write();
    options.memory.keep(objectKey(written), written);
    return { zipJob: written };
  } catch (error) {
    if (isKubeError(error, 'NotFound')) return { end: GONE };
    if (isKubeError(error, 'Conflict')) return { end: await refresh(options, zipJob) };
    throw error;
  }
};

/** The one status write of a pass. It names the version that the decision rests on: a decision about an older one is void. */
const writeStatus = async (options: ActOptions, seen: Observation, status: OwnedStatus): Promise<Fresh> => {
  const { name, namespace, uid, resourceVersion } = seen.zipJob.metadata;
  const identity = {
    name,
    namespace,
    ...(uid !== undefined && { uid }),
    ...(resourceVersion !== undefined && { resourceVersion }),
  };
  const fresh = await guarded(options, seen.zipJob, () =>
    options.zipJobs.apply(
      { apiVersion: GROUP_VERSION, kind: 'ZipJob', metadata: identity, status },
      { fieldManager: FIELD_MANAGERS.controller, subresource: 'status' },
    ),
  );
  if ('zipJob' in fresh) {
    const key = objectKey(seen.zipJob);
    if (seen.delivery.kind === 'answered') {
      options.dispatcher.settle(key);
      const url = seen.zipJob.spec.webhook?.url;
      const { delivery } = seen.delivery.answer;
      if (url !== undefined) options.endpointNotes.add(seen.zipJob.metadata.namespace, { url, delivery });
    }
    const after = fresh.zipJob.status ?? {};
    countTransition(options.metrics, { before: seen.zipJob.status ?? {}, after, now: options.clock.date() });
  }
  return fresh;
};

const patchMetadata = (
  options: ActOptions,
  zipJob: ZipJob,
  metadata: Readonly<Record<string, unknown>>,
): Promise<Fresh> => {
  const { name, namespace, resourceVersion } = zipJob.metadata;
  return guarded(options, zipJob, () =>
    options.zipJobs.mergePatch({ namespace, name }, { metadata: { ...metadata, resourceVersion } }),
  );
};

const addFinalizer = (options: ActOptions, zipJob: ZipJob): Promise<Fresh> =>
  patchMetadata(options, zipJob, { finalizers: [...(zipJob.metadata.finalizers ?? []), FINALIZER] });

const removeFinalizer = async (options: ActOptions, zipJob: ZipJob): Promise<Fresh> => {
  const finalizers = zipJob.metadata.finalizers ?? [];
  if (!finalizers.includes(FINALIZER)) return { zipJob };
  return patchMetadata(options, zipJob, { finalizers: finalizers.filter((name) => name !== FINALIZER) });
};

/** A ZipJob, and whether it was just answered by the API server rather than found in the cache. */
interface Current {
  readonly zipJob: ZipJob;
  readonly isFresh: boolean;
}

type CreateJob = Extract<Action, { kind: 'createJob' }>;

/** Nothing may be created for a ZipJob that was deleted, replaced or cancelled in the meantime. */
const isStillWanted = (seen: ZipJob, live: ZipJob | undefined, action: CreateJob): live is ZipJob =>
  live !== undefined &&
  live.metadata.uid === seen.metadata.uid &&
  (action.target === 'settle' ||
    (live.metadata.deletionTimestamp === undefined &&
      live.spec.cancel !== true &&
      live.spec.suspend !== true));

const refuse = async (
  options: ActOptions,
  zipJob: ZipJob,
  refused: { readonly error: KubeError; readonly target: CreateJob['target'] },
): Promise<Outcome> => {
  const { error, target } = refused;
  const isLeaving = zipJob.metadata.deletionTimestamp !== undefined;
  if (isLeaving && isKubeError(error, 'NamespaceTerminating')) {
    // Nothing can be created here any more, so nothing can be settled; holding on would keep the namespace for ever.
    const fresh = await removeFinalizer(options, zipJob);
    return 'end' in fresh ? fresh.end : DONE;
  }
  const key = objectKey(zipJob);
  options.memory.refused(
    key,
    refusalAfter(options.memory.refusal(key), error, { target, now: options.clock.date() }),
  );
  options.log.warn({ err: error, zipJob: key, target }, 'the API server did not take a Job');
  return AGAIN;
};

/** The name is the lock: a Job of that name counts as ours only when it belongs to this very ZipJob. */
const createJob = async (
  options: ActOptions,
  { zipJob, isFresh }: Current,
  action: CreateJob,
): Promise<Outcome> => {
  const { namespace, name } = action.job.metadata;
  const { target } = action;
  const key = objectKey(zipJob);
  try {
    const live = isFresh ? zipJob : await options.zipJobs.get(namespace, zipJob.metadata.name);
    if (!isStillWanted(zipJob, live, action)) return await refresh(options, zipJob);
    const job = (await options.jobs.create(action.job)) ?? (await options.jobs.get(namespace, name));
    if (!job) return AGAIN;
    if (target === 'settle' && !isOwnedBy(job, zipJob))
      throw new KubeError(`Could not create Job ${name}: the name is taken`, { code: 'AlreadyExists' });
    options.memory.accepted(key);
    return { kind: 'again', hints: target === 'archive' ? { job } : { settle: job } };
  } catch (error) {
    if (error instanceof KubeError) return refuse(options, zipJob, { error, target });
    throw error;
  }
};

const deleteFileList = async (
  options: ActOptions,
  zipJob: ZipJob,
  secretNames: readonly string[],
): Promise<Fresh> => {
  const { namespace } = zipJob.metadata;
  for (const name of secretNames) {
    try {
      await options.secrets.delete(namespace, name);
    } catch (error) {
      if (!isKubeError(error, 'Forbidden')) throw error;
      options.log.warn({ err: error, zipJob: objectKey(zipJob) }, 'a file list may not be deleted');
    }
  }
  const deletedAt = rfc3339(options.clock.date());
  return patchMetadata(options, zipJob, { annotations: { [ANNOTATIONS.fileListDeletedAt]: deletedAt } });
};

/**
 * The Job controller lets go of a pod, and replaces it, only once its phase is Failed, and no kubelet will ever say so: it is
 * said here, in the words in which Kubernetes speaks of pods whose node is gone.
 */
const forceDeletePod = async (
  options: ActOptions,
  namespace: string,
  { name, uid }: Extract<Action, { kind: 'forceDeletePod' }>,
): Promise<void> => {
  const lost = {
    type: 'DisruptionTarget',
    status: 'True',
    reason: 'PodLost',
    message: 'its node does not answer',
  };
  const status = {
    phase: 'Failed',
    conditions: [{ ...lost, lastTransitionTime: rfc3339(options.clock.date()) }],
  };
  try {
    await options.pods.apply(
      { apiVersion: 'v1', kind: 'Pod', metadata: { namespace, name, uid }, status },
      { fieldManager: FIELD_MANAGERS.controller, subresource: 'status' },
    );
    await options.pods.delete(namespace, name, { uid, gracePeriodSeconds: 0 });
  } catch (error) {
    if (!isKubeError(error, 'NotFound', 'Conflict')) throw error;
  }
};

const kept = (zipJob: ZipJob): Fresh => ({ zipJob });

const perform = async (options: ActOptions, current: Current, action: Action): Promise<Fresh> => {
  const { zipJob } = current;
  const { namespace, name, uid } = zipJob.metadata;
  switch (action.kind) {
    case 'addFinalizer':
      return addFinalizer(options, zipJob);
    case 'removeFinalizer':
      return removeFinalizer(options, zipJob);
    case 'createJob':
      return { end: await createJob(options, current, action) };
    case 'deleteJob':
      await options.jobs.delete(namespace, action.name, { uid: action.uid, propagationPolicy: 'Background' });
      return kept(zipJob);
    case 'forceDeletePod':
      await forceDeletePod(options, namespace, action);
      return kept(zipJob);
    case 'deleteFileList':
      return deleteFileList(options, zipJob, action.secretNames);
    case 'deliverWebhook':
      options.dispatcher.submit(options.planDelivery(zipJob));
      return kept(zipJob);
    case 'deleteZipJob':
      await options.zipJobs.delete(namespace, name, {
        ...(uid !== undefined && { uid }),
        propagationPolicy: 'Background',
      });
      return { end: GONE };
  }
};

/** Carries a decision out: the status first, then what is told about it, then the actions in their order. */
export const createAct =
  (options: ActOptions): Act =>
  async (seen, decision) => {
    const fresh = decision.status ? await writeStatus(options, seen, decision.status) : kept(seen.zipJob);
    if ('end' in fresh) return fresh.end;
    let { zipJob } = fresh;
    for (const note of decision.events) await options.recordEvent(zipJob, note);
    for (const action of decision.actions) {
      const next = await perform(options, { zipJob, isFresh: zipJob !== seen.zipJob }, action);
      if ('end' in next) return next.end;
      zipJob = next.zipJob;
    }
    return decision.status ? AGAIN : DONE;
  };
