/** Finished jobs for tests of the history. */
import { randomUUID } from 'node:crypto';
import { rfc3339 } from '#crds/conditions.ts';
import type { HistoryEntry, HistoryJob } from '#runtime/history/history-job.ts';

const PROJECT_UID = '22222222-2222-4222-8222-222222222222';
const CLUSTER_UID = '33333333-3333-4333-8333-333333333333';

/** Time of the current day, so that its partition exists. */
function today(): string {
  return `${rfc3339(new Date()).slice(0, 10)}T00:30:00Z`;
}

function later(time: string, seconds: number): string {
  return rfc3339(new Date(Date.parse(time) + seconds * 1000));
}

/** A job that ended today, ran for 25 seconds and has a uid of its own. */
export function aHistoryJob(change: Partial<HistoryJob> = {}): HistoryJob {
  const uid = change.uid ?? randomUUID();
  const finishedAt = change.finishedAt ?? today();
  return {
    finishedAt,
    projectUid: PROJECT_UID,
    uid,
    id: uid,
    clusterUid: CLUSTER_UID,
    namespace: 'team-a',
    name: `zip-${uid}`,
    createdAt: later(finishedAt, -60),
    startedAt: later(finishedAt, -25),
    phase: 'Succeeded',
    reason: 'Uploaded',
    service: 's3',
    bucketName: 'archive',
    key: 'out/archive.zip',
    files: 3,
    bytes: 4096,
    durationMs: 25_000,
    createdBy: 'ci',
    webhookState: 'Pending',
    runAgainOf: null,
    requestSha256: 'ab'.repeat(32),
    ...change,
  };
}

export function aHistoryEntry(change: Partial<HistoryJob> = {}): HistoryEntry {
  return {
    job: aHistoryJob(change),
    metadata: '{"order":1.0}',
    detail: '{}',
  };
}
