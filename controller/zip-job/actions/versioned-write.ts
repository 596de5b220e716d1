import type { ZipJob } from '#crds/zip-job.ts';
import { isKubeError } from '#runtime/kube/client/kube-error.ts';
import { objectKey } from '#runtime/kube/types.ts';
import type { ActOptions } from './act-options.ts';
import { AGAIN, type Fresh, GONE, type Outcome } from './outcome.ts';

type Versioned = Pick<ActOptions, 'zipJobs' | 'memory'>;

/** Reads the object again after a conflict. */
export async function refresh(options: Versioned, zipJob: ZipJob): Promise<Outcome> {
  const { namespace, name, uid } = zipJob.metadata;
  const live = await options.zipJobs.get(namespace, name);
  if (live?.metadata.uid !== uid || !live) return GONE;
  options.memory.keep(objectKey(live), live);
  return AGAIN;
}

/** Runs a write that is based on a version and keeps the result. Maps Conflict to a re-read, and NotFound to gone. */
export async function guarded(
  options: Versioned,
  zipJob: ZipJob,
  write: () => Promise<ZipJob>,
): Promise<Fresh> {
  try {
    const written = await write();
    options.memory.keep(objectKey(written), written);
    return { zipJob: written };
  } catch (error) {
    if (isKubeError(error, 'NotFound')) return { end: GONE };
    if (isKubeError(error, 'Conflict')) return { end: await refresh(options, zipJob) };
    throw error;
  }
}

export function patchMetadata(
  options: Versioned,
  zipJob: ZipJob,
  metadata: Readonly<Record<string, unknown>>,
): Promise<Fresh> {
  const { name, namespace, resourceVersion } = zipJob.metadata;
  return guarded(options, zipJob, () =>
    options.zipJobs.mergePatch({ namespace, name }, { metadata: { ...metadata, resourceVersion } }),
  );
}
