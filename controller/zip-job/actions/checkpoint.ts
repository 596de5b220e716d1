import { FIELD_MANAGERS, GROUP_VERSION } from '#crds/api-group.ts';
import { uidOf } from '#crds/object-meta.ts';
import type { ZipCheckpoint } from '#crds/zip-checkpoint.ts';
import type { ZipJob } from '#crds/zip-job.ts';
import { isKubeError } from '#runtime/kube/client/kube-error.ts';
import { withObjectMetadata } from '#runtime/kube/client/object-metadata.ts';
import { objectKey } from '#runtime/kube/types.ts';
import { controllerReferenceOf } from '../../cluster/ownership.ts';
import { jobFacts } from '../job-facts.ts';
import type { BeforeAction, Decision, OwnedStatus } from '../observation.ts';
import type { ActOptions } from './act-options.ts';

/** A job runs without a ZipCheckpoint where the API server refuses it; other errors pass. */
function isRefusal(error: unknown): boolean {
  return isKubeError(
    error,
    'NotFound',
    'NotServed',
    'Forbidden',
    'Invalid',
    'BadRequest',
    'QuotaExceeded',
    'NamespaceTerminating',
  );
}

function checkpointOf(zipJob: ZipJob, activePodUid: string): ZipCheckpoint {
  const { namespace, name } = zipJob.metadata;
  return {
    apiVersion: GROUP_VERSION,
    kind: 'ZipCheckpoint',
    metadata: { namespace, name, ownerReferences: [controllerReferenceOf(zipJob, 'ZipJob')] },
    spec: { zipJobUid: uidOf(zipJob), activePodUid },
  };
}

async function perform(options: ActOptions, zipJob: ZipJob, action: BeforeAction): Promise<void> {
  const { checkpoints, kube } = options;
  const { namespace, name } = zipJob.metadata;
  if (action.kind === 'deleteCheckpoint') await checkpoints.delete(namespace, name);
  else
    await checkpoints.apply(
      withObjectMetadata({ ...checkpointOf(zipJob, action.podUid) }, kube.objectMetadata),
      {
        fieldManager: FIELD_MANAGERS.controller,
      },
    );
}

/**
 * Carries out what comes before the write of the status, and returns the status to write: without a ZipCheckpoint if the API server
 * refuses it.
 */
export async function prepare(
  options: ActOptions,
  zipJob: ZipJob,
  { before = [], status }: Decision,
): Promise<OwnedStatus | undefined> {
  let next = status;
  for (const action of before) {
    try {
      await perform(options, zipJob, action);
    } catch (error) {
      if (!isRefusal(error)) throw error;
      options.log.warn(
        { err: error, ...jobFacts(zipJob), action },
        'the API server rejected a ZipCheckpoint',
      );
      if (action.kind === 'setCheckpoint') next = withoutCheckpoint(options, zipJob, status);
    }
  }
  return next;
}

function withoutCheckpoint(
  { memory, clock, config }: ActOptions,
  zipJob: ZipJob,
  status: OwnedStatus | undefined,
): OwnedStatus | undefined {
  const retryAt = clock.date().getTime() + config.checkpointRetrySeconds * 1000;
  memory.refusedCheckpoint(objectKey(zipJob), new Date(retryAt));
  if (!status) return undefined;
  const { checkpointed: _refused, ...rest } = status;
  return rest;
}
