/** What a recovery pod must know of the attempt and its upload. */
import type { ZipBucket } from '#crds/zip-bucket.ts';
import type { Attempt, ZipJob } from '#crds/zip-job.ts';
import { defined } from '#runtime/collections/optional.ts';
import { archiveBytesOf, isCommitting, type Recovered } from '../policies/recovery.ts';
import { onConflictOf } from './on-conflict.ts';

export interface ToRecover {
  readonly attempt: Attempt;
  readonly upload: Recovered;
  readonly bucket: ZipBucket;
  /** Absent: the Job is in no queue, because the outcome of a job does not wait for what its queue admits before. */
  readonly queueName?: string | undefined;
  /** Complete an upload that has the recorded parts. */
  readonly mayFinish?: boolean;
  readonly now: Date;
}

/** Undefined if the attempt did not record its parts. */
function finishOf(zipJob: ZipJob, { upload, bucket, mayFinish = false }: ToRecover) {
  if (!mayFinish || !isCommitting(upload)) return undefined;
  const { parts, partsDigest, archive } = upload;
  if (parts === undefined || partsDigest === undefined || archive === undefined) return undefined;
  return { parts, partsDigest, onConflict: onConflictOf(zipJob, bucket) };
}

function uploadFacts(zipJob: ZipJob, lost: ToRecover) {
  const { upload } = lost;
  return upload === 'unrecorded'
    ? ({ uploadState: 'unrecorded' } as const)
    : {
        // An upload that the pod gave up was never committed.
        uploadState: upload.state === 'committing' ? ('committing' as const) : ('open' as const),
        uploadId: upload.uploadId,
        ...defined({ bytes: archiveBytesOf(upload), finish: finishOf(zipJob, lost) }),
      };
}

/** The uid in the metadata of the object. */
function ownerOf({ upload, attempt }: ToRecover): string {
  return (upload === 'unrecorded' ? undefined : upload.owner) ?? attempt.podUid;
}

/** The end of whatever may have sent Complete: the attempt, and earlier recovery pods. */
function endOf({ attempt, now }: ToRecover) {
  const endedAt = attempt.completeSentAt ?? attempt.finishedAt ?? now.toISOString();
  return { endedAt, endedAgeSeconds: Math.max(0, (now.getTime() - Date.parse(endedAt)) / 1000) };
}

export function recoveryFacts(zipJob: ZipJob, lost: ToRecover) {
  const { attempt } = lost;
  const { creationTimestamp = new Date(0).toISOString() } = zipJob.metadata;
  return {
    ...uploadFacts(zipJob, lost),
    attempt: ownerOf(lost),
    since: attempt.startedAt ?? creationTimestamp,
    ...endOf(lost),
  };
}
