import type { HistoryJob } from '#runtime/history/history-job.ts';
import { FORMAT } from '../../format.ts';
import { lookOf } from '../jobs/job-progress.ts';

/** A finished job in a list. */
export interface HistoryRow {
  readonly href: string;
  readonly key: string;
  readonly name: string;
  readonly phase: string;
  readonly look: string;
  /** Why it failed or was cancelled; otherwise empty. */
  readonly reason: string;
  readonly files: string;
  readonly bytes: string;
  readonly bucket: string;
  readonly token: string;
  readonly duration: string;
  /** RFC 3339. */
  readonly finishedAt: string;
}

export const historyRow = (job: HistoryJob): HistoryRow => ({
  href: FORMAT.path('projects', job.namespace, 'jobs', job.id),
  key: job.key,
  name: job.name,
  phase: job.phase,
  look: lookOf(job.phase),
  reason: job.phase === 'Succeeded' ? '' : job.reason,
  files: FORMAT.number(job.files),
  bytes: job.phase === 'Succeeded' ? FORMAT.bytes(job.bytes) : '',
  bucket: `${job.service} ${job.bucketName}`,
  token: job.createdBy ?? '',
  duration: job.durationMs === null ? '' : FORMAT.duration(job.durationMs),
  finishedAt: job.finishedAt,
});
