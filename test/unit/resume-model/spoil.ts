/** Mistakes of the controller and of recovery, which are made by changing what they wrote or read. */

import { findCondition } from '#crds/conditions.ts';
import type { ZipJob, ZipJobStatus } from '#crds/zip-job.ts';
import type { Mistake } from './mistakes.ts';

/** The pod is over, and the job continues. */
function isRevoked({ job: was }: ZipJobStatus, { job: is, phase }: ZipJobStatus): boolean {
  return was?.podUid !== undefined && is?.podUid === undefined && phase === 'Running';
}

function withoutInherits({ inherits: _inherits, ...status }: ZipJobStatus): ZipJobStatus {
  return status;
}

function inheriting(
  { job, upload }: ZipJobStatus,
  { conditions = [], ...is }: ZipJobStatus,
): ZipJobStatus | undefined {
  const isLost = findCondition(conditions, 'Recovered')?.reason === 'Recovering';
  if (!isLost || upload?.state !== 'committing') return undefined;
  const { uploadId, owner = job?.podUid ?? '', partSize, checkpoint = 1 } = upload;
  const inherits = { uploadId, owner, partSize, checkpoint, resumes: 0 };
  const changed = { status: 'True', reason: 'Inherited' } as const;
  return {
    ...is,
    inherits,
    conditions: conditions.map((one) => (one.type === 'Recovered' ? { ...one, ...changed } : one)),
  };
}

/** The status that a controller with the mistake would have written. Undefined: the same. */
export function spoiledStatus(
  mistake: Mistake | undefined,
  { status: was = {} }: ZipJob,
  { status: is = {} }: ZipJob,
): ZipJobStatus | undefined {
  if (!isRevoked(was, is)) return undefined;
  if (mistake === 'forgetsInherits' && was.inherits && !was.upload) return withoutInherits(is);
  return mistake === 'inheritsCommitting' ? inheriting(was, is) : undefined;
}
