import type { HistoryJob } from '#runtime/history/history-job.ts';
import type { JobRow } from '../jobs/job-row.ts';
import { FORMAT } from '../ui/format.ts';
import { reasonText } from '../ui/reason-text.ts';
import { PHASE_LOOKS } from '../ui/words.ts';

/** A finished job as a row of the list. It is not in the cluster, so nothing can be done with it there. */
export function historyRow(job: HistoryJob): JobRow {
  const { namespace, phase, service, bucketName, createdBy } = job;
  const reason = phase === 'Succeeded' || job.reason === phase ? '' : job.reason;
  return {
    name: job.uid,
    id: job.id,
    href: FORMAT.path('projects', namespace, 'jobs', job.id),
    key: job.key,
    phase,
    look: PHASE_LOOKS[phase],
    reason,
    meaning: reason === '' ? '' : reasonText(reason),
    percent: undefined,
    duration: job.durationMs === null ? '' : FORMAT.duration(job.durationMs),
    files: FORMAT.number(job.files),
    bytes: phase === 'Succeeded' ? FORMAT.bytes(job.bytes) : '',
    bucket: `${service}/${bucketName}`,
    token: createdBy ?? '',
    at: job.finishedAt,
    can: '',
  };
}
