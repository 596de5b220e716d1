import type { Phase, Service, WebhookState } from '#crds/zip-job.ts';

/**
 * One finished job as a row of `zipjobs.jobs`, without its metadata and detail. Times are RFC 3339, as in the status of a
 * ZipJob. The database returns them in this form.
 */
export interface HistoryJob {
  readonly finishedAt: string;
  /** metadata.uid of the ZipProject. A recreated namespace has another one, so it sees nothing of the old one. */
  readonly projectUid: string;
  /** metadata.uid of the ZipJob. */
  readonly uid: string;
  /** The ID in the API and in webhooks. */
  readonly id: string;
  /** metadata.uid of the namespace kube-system. */
  readonly clusterUid: string;
  readonly namespace: string;
  readonly name: string;
  readonly createdAt: string;
  /** Null for a job that never ran. */
  readonly startedAt: string | null;
  readonly phase: Phase;
  /** Why the job failed or was cancelled, as `failureReasonOf`, or else the reason of the phase. */
  readonly reason: string;
  readonly service: Service;
  /** Name of the bucket at the provider. */
  readonly bucketName: string;
  readonly key: string;
  /** Number of sources. */
  readonly files: number;
  /** Size of the archive; 0 without one. */
  readonly bytes: number;
  /** From startedAt to finishedAt; null for a job that never ran. */
  readonly durationMs: number | null;
  /** Name of the token that created the job. */
  readonly createdBy: string | null;
  readonly webhookState: WebhookState['state'] | null;
  /** Name of the original job of a rerun. */
  readonly runAgainOf: string | null;
  readonly requestSha256: string | null;
}

/** What the history stores of one finished job. */
export interface HistoryEntry {
  readonly job: HistoryJob;
  /** The caller's JSON object exactly as sent. */
  readonly metadata: string;
  /** JSON of the archived form without its metadata. */
  readonly detail: string;
  /** True if its status still changes: a later entry follows. */
  readonly isEarly?: boolean;
}

/** The uids that a ZipJob itself does not contain. */
export type HistoryOwner = Pick<HistoryJob, 'projectUid' | 'clusterUid'>;
