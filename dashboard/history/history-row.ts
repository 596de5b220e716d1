import type { HistoryJob } from '#runtime/history/history-job.ts';
import { FORMAT } from '../ui/format.ts';
import { reasonText } from '../ui/reason-text.ts';
import { type Look, PHASE_LOOKS } from '../ui/words.ts';
import { writeHistoryQuery } from './history-query.ts';

interface Link {
  readonly text: string;
  readonly href: string;
}

/** A finished job in a list. */
export interface HistoryRow {
  readonly href: string;
  readonly key: string;
  readonly id: string;
  readonly phase: string;
  readonly look: Look;
  /** Why it failed or was cancelled. */
  readonly reason: (Link & { readonly meaning: string }) | undefined;
  readonly files: string;
  readonly bytes: string;
  /** Jobs of the same bucket. */
  readonly bucket: Link;
  /** Jobs of the same token; absent for a job that the API did not create. */
  readonly token: Link | undefined;
  readonly duration: string;
  /** RFC 3339. */
  readonly finishedAt: string;
}

export function historyRow(job: HistoryJob): HistoryRow {
  const { namespace, phase, reason, service, bucketName, createdBy } = job;
  function listOf(filter: Parameters<typeof writeHistoryQuery>[0]): string {
    return FORMAT.path('projects', namespace, 'history') + writeHistoryQuery(filter);
  }
  return {
    href: FORMAT.path('projects', namespace, 'jobs', job.id),
    key: job.key,
    id: job.id,
    phase,
    look: PHASE_LOOKS[phase],
    reason:
      phase === 'Succeeded' || reason === phase
        ? undefined
        : { text: reason, href: listOf({ reason }), meaning: reasonText(reason) },
    files: FORMAT.number(job.files),
    bytes: phase === 'Succeeded' ? FORMAT.bytes(job.bytes) : '',
    bucket: { text: `${service} ${bucketName}`, href: listOf({ bucket: `${service}/${bucketName}` }) },
    token: createdBy === null ? undefined : { text: createdBy, href: listOf({ token: createdBy }) },
    duration: job.durationMs === null ? '' : FORMAT.duration(job.durationMs),
    finishedAt: job.finishedAt,
  };
}
