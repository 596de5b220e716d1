import { randomUUID } from 'node:crypto';
import { ANNOTATIONS } from '#crds/api-group.ts';
import type { ZipJob } from '#crds/zip-job.ts';
import type { Clock } from '#runtime/clock.ts';
import { AppError } from '#runtime/errors.ts';
import type { Secret } from '#runtime/kube/resources.ts';
import type { ObjectClient } from '#runtime/kube/types.ts';
import type { Logger } from '#runtime/log.ts';
import { type RetryPolicy, retry } from '#runtime/retry.ts';
import { serviceUnavailable } from './api-error.ts';
import { type FileList, packFileList } from './file-list.ts';
import type { ApiMetrics } from './metrics.ts';
import { toFileListSecrets, toZipJob, type ZipJobInput } from './to-zip-job.ts';

export interface CreateZipJobDeps {
  readonly jobClient: Pick<ObjectClient<ZipJob>, 'get' | 'create'>;
  readonly secretClient: Pick<ObjectClient<Secret>, 'create'>;
  readonly metrics: Pick<ApiMetrics, 'jobsCreated' | 'filesAccepted' | 'fileListBytes' | 'incompleteJobs'>;
  readonly clock: Clock;
  readonly log: Logger;
  readonly instance: string;
  readonly newUuid?: () => string;
}

export type NewZipJob = Omit<ZipJobInput, 'list' | 'uuid' | 'instance' | 'acceptedAt'>;
export type CreatedZipJob = { readonly uuid: string; readonly name: string };

/**
 * Creates the ZipJob, then the Secrets with its list: so nothing is left behind that no ZipJob owns.
 * @throws ApiError parameter_invalid (a list that does not fit), service_unavailable; KubeError
 */
export type CreateZipJob = (input: NewZipJob, signal: AbortSignal) => Promise<CreatedZipJob>;

/** Names are random and ours alone, so a create may be sent again whatever became of the first. */
const RETRY: RetryPolicy = { attempts: 3, baseDelayMs: 50, maxDelayMs: 500, maxRetryAfterMs: 2_000 };

type OwnerJob = ZipJob & { readonly metadata: { readonly uid: string } };

const withUid = (job: ZipJob): OwnerJob => {
  const { uid } = job.metadata;
  if (uid !== undefined) return { ...job, metadata: { ...job.metadata, uid } };
  throw new AppError('the API server answered a ZipJob without a uid', {
    code: 'InvalidAnswer',
    retryable: true,
  });
};

/** Whether the stored job is the one that an earlier try of this request created. */
const isSame = (stored: ZipJob | undefined, wanted: ZipJob): stored is ZipJob =>
  [ANNOTATIONS.requestId, ANNOTATIONS.requestSha256, ANNOTATIONS.acceptedAt].every(
    (name) => stored?.metadata.annotations?.[name] === wanted.metadata.annotations?.[name],
  );

export const createCreateZipJob = (deps: CreateZipJobDeps): CreateZipJob => {
  const { jobClient, secretClient, metrics, clock, log, instance } = deps;
  const newUuid = deps.newUuid ?? randomUUID;

  const createJob = async (job: ZipJob, signal: AbortSignal): Promise<OwnerJob> => {
    const created = await retry(() => jobClient.create(job, { signal }), RETRY, signal);
    if (created !== undefined) return withUid(created);
    const stored = await jobClient.get(job.metadata.namespace, job.metadata.name, signal);
    if (isSame(stored, job)) return withUid(stored);
    throw new AppError(`another ZipJob ${job.metadata.name} exists`, { code: 'NameTaken', retryable: true });
  };

  const createSecrets = async (job: OwnerJob, list: FileList, signal: AbortSignal): Promise<void> => {
    const secrets = toFileListSecrets(job, list, instance);
    try {
      await Promise.all(
        secrets.map((secret) => retry(() => secretClient.create(secret, { signal }), RETRY, signal)),
      );
    } catch (error) {
      metrics.incompleteJobs.inc();
      log.error(
        { err: error, project: job.metadata.namespace, zipJob: job.metadata.name, secrets: secrets.length },
        'the file list of a ZipJob could not be written whole: the caller is told to try again, the job ends at its start deadline',
      );
      throw serviceUnavailable(error);
    }
  };

  return async (input, signal) => {
    const list = await packFileList(input.request.files);
    const uuid = newUuid();
    const job = toZipJob({ ...input, list, uuid, instance, acceptedAt: clock.date() });
    const created = await createJob(job, signal);
    await createSecrets(created, list, signal);
    metrics.jobsCreated.inc();
    metrics.filesAccepted.inc(list.count);
    metrics.fileListBytes.observe(list.chunks.reduce((sum, chunk) => sum + chunk.length, 0));
    return { uuid, name: job.metadata.name };
  };
};
