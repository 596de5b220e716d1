import { ANNOTATIONS } from '#crds/api-group.ts';
import type { ZipJob } from '#crds/zip-job.ts';
import { AppError } from '#runtime/errors.ts';
import type { ObjectClient } from '#runtime/kube/types.ts';
import { type RetryPolicy, retry } from '#runtime/retry.ts';
import { idempotencyKeyReused, serviceUnavailable } from './api-error.ts';

export type OwnerJob = ZipJob & { readonly metadata: { readonly uid: string } };

export interface Claim {
  readonly job: ZipJob;
  /** The name is derived from the caller's key: an earlier request may have made the job. */
  readonly hasKey: boolean;
  readonly policy: RetryPolicy;
}

export interface ClaimedZipJob {
  /** As it is stored. */
  readonly job: OwnerJob;
  /** This request made it. */
  readonly isNew: boolean;
}

/** How often a name may turn out to be free after it was taken: the job was deleted in between. */
const MAX_ROUNDS = 3;

const withUid = (job: ZipJob): OwnerJob => {
  const { uid } = job.metadata;
  if (uid !== undefined) return { ...job, metadata: { ...job.metadata, uid } };
  throw new AppError('the API server answered a ZipJob without a uid', {
    code: 'InvalidAnswer',
    retryable: true,
  });
};

const hasSame = (stored: ZipJob, wanted: ZipJob, names: readonly string[]): boolean =>
  names.every((name) => stored.metadata.annotations?.[name] === wanted.metadata.annotations?.[name]);

/** What an earlier try of this very request would have written. */
const OWN_MARKS = [ANNOTATIONS.requestId, ANNOTATIONS.requestSha256, ANNOTATIONS.acceptedAt];

const judge = (stored: ZipJob, { job, hasKey }: Claim): ClaimedZipJob => {
  if (hasSame(stored, job, OWN_MARKS)) return { job: withUid(stored), isNew: true };
  if (!hasKey)
    throw new AppError(`another ZipJob ${job.metadata.name} exists`, { code: 'NameTaken', retryable: true });
  if (!hasSame(stored, job, [ANNOTATIONS.requestSha256])) throw idempotencyKeyReused();
  if (stored.metadata.deletionTimestamp !== undefined)
    throw serviceUnavailable(new Error(`the ZipJob ${job.metadata.name} is being deleted`));
  return { job: withUid(stored), isNew: false };
};

/**
 * Creates the ZipJob, or finds the one that the same request made before: AlreadyExists is the lock that all replicas
 * and all tries share.
 * @throws ApiError idempotency_key_reused, service_unavailable; KubeError
 */
export const claimZipJob = async (
  jobClient: Pick<ObjectClient<ZipJob>, 'get' | 'create'>,
  claim: Claim,
  signal: AbortSignal,
): Promise<ClaimedZipJob> => {
  const { job, policy } = claim;
  const { namespace, name } = job.metadata;
  for (let round = 0; round < MAX_ROUNDS; round += 1) {
    const created = await retry(() => jobClient.create(job, { signal }), policy, signal);
    if (created !== undefined) return { job: withUid(created), isNew: true };
    const stored = await retry(() => jobClient.get(namespace, name, signal), policy, signal);
    if (stored !== undefined) return judge(stored, claim);
  }
  throw serviceUnavailable(new Error(`the ZipJob ${name} is deleted as often as it is made`));
};
