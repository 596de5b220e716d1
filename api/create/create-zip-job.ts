import { randomUUID } from 'node:crypto';
import { uidOf } from '#crds/object-meta.ts';
import { isFinished, type ZipJob } from '#crds/zip-job.ts';
import { isFileListDeleted } from '#crds/zip-job-facts.ts';
import { AppError } from '#runtime/errors.ts';
import { isKubeError } from '#runtime/kube/client/kube-error.ts';
import type { Secret } from '#runtime/kube/resources.ts';
import type { ObjectClient } from '#runtime/kube/types.ts';
import type { Logger } from '#runtime/log/log.ts';
import type { ProjectClasses } from '#runtime/project-limits/project-classes.ts';
import { storedBytesOf } from '#runtime/project-limits/stored-bytes.ts';
import type { Clock } from '#runtime/time/clock.ts';
import type { RetryPolicy } from '#runtime/time/retry.ts';
import { type FileList, fileListBytes } from '#runtime/zip-request/file-list.ts';
import { serviceUnavailable } from '../errors/api-error.ts';
import type { StorageLedger } from '../limits/storage-ledger.ts';
import type { ApiMetrics } from '../metrics.ts';
import type { ReadHistory } from '../read/read-archived.ts';
import type { AbandonZipJob } from './abandon-zip-job.ts';
import { type Claim, claimZipJob } from './claim-zip-job.ts';
import { derivedUuid } from './derived-uuid.ts';
import { createNoteRefusal, isOutdated, type NoteRefusal, refusalOf } from './refusals.ts';
import { createStoreFileList } from './store-file-list.ts';
import { toZipJob, type ZipJobInput } from './to-zip-job.ts';

export interface CreateZipJobDeps {
  readonly jobClient: Pick<ObjectClient<ZipJob>, 'get' | 'create'>;
  readonly secretClient: Pick<ObjectClient<Secret>, 'create'>;
  /** Undefined without a history. */
  readonly readHistory?: ReadHistory | undefined;
  readonly abandon: (job: Parameters<AbandonZipJob>[0]) => void;
  readonly storage: Pick<StorageLedger, 'admit' | 'forget'>;
  readonly limitsOf: ProjectClasses['limitsOf'];
  readonly metrics: Pick<
    ApiMetrics,
    'jobsCreated' | 'filesAccepted' | 'fileListBytes' | 'incompleteJobs' | 'idempotentReplays'
  >;
  readonly clock: Clock;
  readonly log: Logger;
  readonly instance: string;
  readonly newUuid?: () => string;
}

export type NewZipJob = Omit<ZipJobInput, 'uuid' | 'instance' | 'acceptedAt'> & {
  readonly idempotencyKey?: string | undefined;
  /** Only with a key: the reason for refusing a new job. A job of an earlier request is still returned. */
  readonly refusal?: AppError | undefined;
};

export interface CreatedZipJob {
  readonly uuid: string;
  /** Without later status. */
  readonly job: ZipJob;
  /** Of the stored ZipJob. */
  readonly uid: string;
  /** An earlier request with the same Idempotency-Key created the job, which is then as stored. */
  readonly isReplay: boolean;
}

/**
 * Creates the ZipJob before the Secrets with its list, so that every Secret has an owner.
 * @throws ApiError idempotency_key_reused, file_lists_full, stored_jobs_full, stored_bytes_full, quota_exceeded,
 * refused_by_policy, service_unavailable; KubeError; the refusal; the errors of ReadHistory
 */
export type CreateZipJob = (input: NewZipJob, signal: AbortSignal) => Promise<CreatedZipJob>;

const RETRY: RetryPolicy = { attempts: 3, baseDelayMs: 50, maxDelayMs: 500, maxRetryAfterMs: 2_000 };

/** The API server refused permanently, or before it changed anything. */
function isSurelyNotCreated(error: unknown): boolean {
  return (
    (error instanceof AppError && !error.retryable) ||
    isKubeError(error, 'TooManyRequests', 'QuotaExceeded', 'NotServed')
  );
}

/** True if the list is still needed; a list that was deleted after the job finished must not be created again. */
function needsList(job: ZipJob): boolean {
  return !isFinished(job) && !isFileListDeleted(job);
}

function uuidOf({ idempotencyKey, project }: NewZipJob, newUuid: () => string): string {
  return idempotencyKey === undefined ? newUuid() : derivedUuid(uidOf(project), idempotencyKey);
}

/** Undefined without a history or a key: then no job of an earlier request is in the history. */
function readArchivedOf(
  readHistory: ReadHistory | undefined,
  { idempotencyKey, project }: NewZipJob,
  uuid: string,
): Claim['readArchived'] {
  if (readHistory === undefined || idempotencyKey === undefined) return undefined;
  const { namespace } = project.metadata;
  return (signal) => readHistory({ namespace, projectUid: uidOf(project), uuid }, signal);
}

function withoutStatus({ status: _status, ...job }: ZipJob): ZipJob {
  return job;
}

function count(metrics: CreateZipJobDeps['metrics'], isNew: boolean, list: FileList): void {
  if (!isNew) {
    metrics.idempotentReplays.inc();
    return;
  }
  metrics.jobsCreated.inc();
  metrics.filesAccepted.inc(list.count);
  metrics.fileListBytes.observe(fileListBytes(list));
}

/** The reason for refusing a new job. One that is refused anyway occupies no storage, and does not make the project full. */
function createAdmit(deps: CreateZipJobDeps, noteRefusal: NoteRefusal) {
  return ({ request, project, refusal }: NewZipJob, job: ZipJob): AppError | undefined => {
    if (refusal !== undefined) return refusal;
    const { namespace, name } = job.metadata;
    const bytes = { bytes: storedBytesOf(job), fileListBytes: fileListBytes(request.list) };
    const full = deps.storage.admit({ namespace, name, ...bytes }, deps.limitsOf(namespace, project));
    if (full !== undefined) noteRefusal(namespace, full);
    return full;
  };
}

export function createCreateZipJob(deps: CreateZipJobDeps): CreateZipJob {
  const { metrics, clock, instance, storage } = deps;
  const noteRefusal = createNoteRefusal(deps);
  const storeFileList = createStoreFileList({ ...deps, noteRefusal, policy: RETRY });
  const admit = createAdmit(deps, noteRefusal);
  const newUuid = deps.newUuid ?? randomUUID;

  async function claim(
    { isAdmitted, ...wanted }: Omit<Claim, 'policy'> & { readonly isAdmitted: boolean },
    signal: AbortSignal,
  ) {
    const { job, hasKey } = wanted;
    const { namespace, name } = job.metadata;
    try {
      const claimed = await claimZipJob(deps.jobClient, { ...wanted, policy: RETRY }, signal);
      // The watch never reports a job that only the history has.
      if (isAdmitted && !claimed.isNew) storage.forget(namespace, name);
      return claimed;
    } catch (error) {
      if (isAdmitted) storage.forget(namespace, name);
      if (!hasKey && !isSurelyNotCreated(error)) deps.abandon({ namespace, name });
      if (isOutdated(error)) throw serviceUnavailable(error);
      const refusal = refusalOf(error);
      if (refusal !== undefined) noteRefusal(namespace, refusal);
      throw refusal ?? error;
    }
  }

  return async (input, signal) => {
    const { list } = input.request;
    const uuid = uuidOf(input, newUuid);
    const job = toZipJob({ ...input, uuid, instance, acceptedAt: clock.date() });
    const { namespace, name } = job.metadata;
    const hasKey = input.idempotencyKey !== undefined;
    const refusal = admit(input, job);
    if (refusal !== undefined && !hasKey) throw refusal;
    const readArchived = readArchivedOf(deps.readHistory, input, uuid);
    const claimed = await claim(
      { job, hasKey, refusal, readArchived, isAdmitted: refusal === undefined },
      signal,
    );
    try {
      if (needsList(claimed.job)) await storeFileList(claimed.job, list, signal);
    } catch (error) {
      // With a key, the caller's retry completes the job.
      if (!hasKey) deps.abandon({ namespace, name, uid: claimed.job.metadata.uid });
      throw error;
    }
    count(metrics, claimed.isNew, list);
    const { uid } = claimed.job.metadata;
    return { uuid, uid, job: claimed.isNew ? job : withoutStatus(claimed.job), isReplay: !claimed.isNew };
  };
}
