import { ANNOTATIONS } from '#crds/api-group.ts';
import type { Condition } from '#crds/conditions.ts';
import {
  type ApiStatus,
  type Attempt,
  apiStatusOf,
  type JobWebhookState,
  type Phase,
  type Progress,
  type Service,
  type SourceCheck,
  type ZipJob,
  type ZipResult,
} from '#crds/zip-job.ts';
import { bucketOf, fileCount, zipJobId } from '#crds/zip-job-facts.ts';
import { redactText } from '#runtime/log/redact.ts';
import { type KeptUpload, keptUpload } from './kept-upload.ts';

/** The reason of a failure, and the failing file. */
export interface JobFailure {
  readonly code: string;
  readonly message: string | null;
  /** Index in the file list, from 0. */
  readonly fileIndex: number | null;
  /** Known only if the list is inline. */
  readonly filename: string | null;
  readonly httpStatus: number | null;
  readonly retriable: boolean;
}

export interface FailingFile {
  /** Index in the file list, from 0. */
  readonly fileIndex: number;
  /** Known only if the list is inline. */
  readonly filename: string | null;
  readonly code: string;
  readonly httpStatus: number | null;
}

/** What is known of all sources after one failed. */
export interface JobSourceCheck extends Omit<SourceCheck, 'failures'> {
  /** The first failing files. */
  readonly failures: readonly FailingFile[];
}

/** Location of a job's file list. */
export interface JobFiles {
  /** `inline`: in the ZipJob. `stored`: in Secrets. `deleted`: deleted after the job finished. */
  readonly list: 'inline' | 'stored' | 'deleted';
  readonly count: number;
  readonly deletedAt: string | null;
}

/** A job for display, without URLs of sources and webhooks. Null for unset or unknown fields. */
export interface Job {
  readonly project: string;
  readonly name: string;
  /** The id in the API and in webhooks. */
  readonly id: string;
  readonly bucketName: string;
  readonly service: Service;
  readonly key: string;
  readonly phase: Phase | null;
  /** The status in the API. */
  readonly apiStatus: ApiStatus;
  readonly reason: string | null;
  readonly message: string | null;
  readonly createdAt: string | null;
  readonly acceptedAt: string | null;
  readonly startedAt: string | null;
  readonly finishedAt: string | null;
  readonly duration: string | null;
  readonly deletingSince: string | null;
  readonly node: string | null;
  readonly files: JobFiles;
  readonly progress: Omit<Progress, 'podUid'> | null;
  readonly attempts: readonly Attempt[];
  /** Includes attempts that are no longer recorded. */
  readonly attemptsTotal: number;
  /** What the upload of an earlier attempt is to the active pod. Null if none is continued or was to be. */
  readonly keptUpload: KeptUpload | null;
  readonly failure: JobFailure | null;
  /** Null if the other sources were not checked. */
  readonly sourceCheck: JobSourceCheck | null;
  readonly archive: ZipResult | null;
  readonly webhook: JobWebhookState | null;
  readonly conditions: readonly Condition[];
  readonly suspended: boolean;
  readonly cancelRequested: boolean;
  /** Name of the token that created the job. */
  readonly createdBy: string | null;
  /** Name of the original job of a rerun. */
  readonly runAgainOf: string | null;
}

function filesOf(job: ZipJob): JobFiles {
  const count = fileCount(job);
  const deletedAt = job.metadata.annotations?.[ANNOTATIONS.fileListDeletedAt] ?? null;
  if (job.spec.files) return { list: 'inline', count, deletedAt: null };
  return { list: deletedAt === null ? 'stored' : 'deleted', count, deletedAt };
}

function filenameOf({ spec }: Pick<ZipJob, 'spec'>, fileIndex: number | undefined): string | null {
  return fileIndex === undefined ? null : (spec.files?.[fileIndex]?.filename ?? null);
}

function failureOf({ spec, status }: ZipJob): JobFailure | null {
  const failure = status?.failure;
  if (!failure) return null;
  return {
    code: failure.code,
    message: failure.message === undefined ? null : redactText(failure.message),
    fileIndex: failure.fileIndex ?? null,
    filename: filenameOf({ spec }, failure.fileIndex),
    httpStatus: failure.httpStatus ?? null,
    retriable: failure.retriable,
  };
}

function sourceCheckOf({ spec, status }: ZipJob): JobSourceCheck | null {
  const check = status?.sourceCheck;
  if (!check) return null;
  const failures = check.failures.map(({ fileIndex, code, httpStatus = null }) => ({
    fileIndex,
    filename: filenameOf({ spec }, fileIndex),
    code,
    httpStatus,
  }));
  return { ...check, failures };
}

function progressOf(progress: Progress | undefined): Job['progress'] {
  if (!progress) return null;
  const { podUid: _podUid, ...shown } = progress;
  return shown;
}

function textOrNull(text: string | undefined): string | null {
  return text === undefined ? null : redactText(text);
}

function times({ metadata, status = {} }: ZipJob) {
  return {
    createdAt: metadata.creationTimestamp ?? null,
    acceptedAt: status.acceptedAt ?? null,
    startedAt: status.startedAt ?? null,
    finishedAt: status.finishedAt ?? null,
    duration: status.duration ?? null,
    deletingSince: metadata.deletionTimestamp ?? null,
  };
}

function outcome({ status = {} }: ZipJob) {
  return {
    phase: status.phase ?? null,
    apiStatus: apiStatusOf(status.phase),
    reason: status.reason ?? null,
    message: textOrNull(status.message),
    node: status.job?.node ?? null,
  };
}

function evidence({ status = {} }: ZipJob) {
  return {
    progress: progressOf(status.progress),
    attempts: status.attempts ?? [],
    attemptsTotal: status.attemptsTotal ?? status.attempts?.length ?? 0,
    keptUpload: keptUpload(status) ?? null,
    archive: status.result ?? null,
    webhook: status.webhook ?? null,
    conditions: status.conditions ?? [],
  };
}

export function toJob(job: ZipJob): Job {
  const { metadata, spec } = job;
  const { service, name: bucketName } = bucketOf(job);
  return {
    project: metadata.namespace,
    name: metadata.name,
    id: zipJobId(job),
    bucketName,
    service,
    key: spec.key,
    ...times(job),
    ...outcome(job),
    ...evidence(job),
    files: filesOf(job),
    failure: failureOf(job),
    sourceCheck: sourceCheckOf(job),
    suspended: spec.suspend ?? false,
    cancelRequested: spec.cancel ?? false,
    createdBy: metadata.annotations?.[ANNOTATIONS.createdBy] ?? null,
    runAgainOf: metadata.annotations?.[ANNOTATIONS.runAgainOf] ?? null,
  };
}
