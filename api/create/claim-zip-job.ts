import { ANNOTATIONS } from '#crds/api-group.ts';
import type { ZipJob } from '#crds/zip-job.ts';
import { AppError } from '#runtime/errors.ts';
import type { ObjectClient } from '#runtime/kube/types.ts';
import { type RetryPolicy, retry } from '#runtime/time/retry.ts';
import { idempotencyKeyReused, serviceUnavailable } from '../errors/api-error.ts';

export type OwnerJob = ZipJob & { readonly metadata: { readonly uid: string } };

type ReadArchived = (signal: AbortSignal) => Promise<ZipJob | undefined>;

export interface Claim {
  readonly job: ZipJob;
  /** The name is derived from the caller's key, so an earlier request may have created the job. */
  readonly hasKey: boolean;
  /** Only with a key: the reason for refusing a new job. A job of an earlier request is still returned. */
  readonly refusal?: AppError | undefined;
  /** Only with a key and a history: reads the job of the key after its ZipJob was deleted. */
  readonly readArchived?: ReadArchived | undefined;
  readonly policy: RetryPolicy;
}

export interface ClaimedZipJob {
  /** As stored in the API server; from the history, its archived form. */
  readonly job: OwnerJob;
  /** This request created it. */
  readonly isNew: boolean;
}

/** Limits the retries after a job with the same name is deleted between create and get. */
const MAX_ROUNDS = 3;

function withUid(job: ZipJob): OwnerJob {
  const { uid } = job.metadata;
  if (uid !== undefined) return { ...job, metadata: { ...job.metadata, uid } };
  throw new AppError('the API server returned a ZipJob without a uid', {
    code: 'InvalidResponse',
    retryable: true,
  });
}

function hasSame(stored: ZipJob, wanted: ZipJob, names: readonly string[]): boolean {
  return names.every((name) => stored.metadata.annotations?.[name] === wanted.metadata.annotations?.[name]);
}

/** Annotations that identify an earlier attempt of the same request. */
const OWN_MARKS = [ANNOTATIONS.requestId, ANNOTATIONS.requestSha256, ANNOTATIONS.acceptedAt];

function judge(stored: ZipJob, { job, hasKey }: Claim): ClaimedZipJob {
  if (hasSame(stored, job, OWN_MARKS)) return { job: withUid(stored), isNew: true };
  if (!hasKey)
    throw new AppError(`ZipJob ${job.metadata.name} already exists`, { code: 'NameTaken', retryable: true });
  if (!hasSame(stored, job, [ANNOTATIONS.requestSha256])) throw idempotencyKeyReused();
  if (stored.metadata.deletionTimestamp !== undefined)
    throw serviceUnavailable(new Error(`ZipJob ${job.metadata.name} is being deleted`));
  return { job: withUid(stored), isNew: false };
}

type JobClient = Pick<ObjectClient<ZipJob>, 'get' | 'create'>;

async function find(
  jobClient: JobClient,
  claim: Claim,
  signal: AbortSignal,
): Promise<ClaimedZipJob | undefined> {
  const { namespace, name } = claim.job.metadata;
  const stored = await retry(() => jobClient.get(namespace, name, signal), claim.policy, signal);
  return stored && judge(stored, claim);
}

/**
 * The job of an earlier request. The history is read after the API server: a job is in the history before its ZipJob is deleted, so
 * one that existed when the search started is found in one of them.
 */
async function findEarlier(
  jobClient: JobClient,
  claim: Claim,
  signal: AbortSignal,
): Promise<ClaimedZipJob | undefined> {
  const found = await find(jobClient, claim, signal);
  if (found !== undefined) return found;
  const archived = await claim.readArchived?.(signal);
  return archived && judge(archived, claim);
}

/**
 * Creates the ZipJob, or finds the one that the same request created before: AlreadyExists is the lock that all replicas
 * and all attempts share. With a history, an earlier job may have no ZipJob any more, so it is searched before the create.
 * @throws ApiError idempotency_key_reused, service_unavailable; KubeError; the refusal; the errors of ReadHistory
 */
export async function claimZipJob(
  jobClient: JobClient,
  claim: Claim,
  signal: AbortSignal,
): Promise<ClaimedZipJob> {
  const { job, policy, refusal, readArchived } = claim;
  const searchesFirst = refusal !== undefined || readArchived !== undefined;
  for (let round = 0; round < MAX_ROUNDS; round += 1) {
    const earlier = searchesFirst ? await findEarlier(jobClient, claim, signal) : undefined;
    if (earlier !== undefined) return earlier;
    if (refusal !== undefined) throw refusal;
    const created = await retry(() => jobClient.create(job, { signal }), policy, signal);
    if (created !== undefined) return { job: withUid(created), isNew: true };
    const found = await find(jobClient, claim, signal);
    if (found !== undefined) return found;
  }
  throw serviceUnavailable(
    new Error(`ZipJob ${job.metadata.name} was deleted repeatedly while it was being created`),
  );
}
