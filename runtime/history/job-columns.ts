import type { HistoryJob } from './history-job.ts';

/** Column and type of each field of a HistoryJob in `zipjobs.jobs`. */
export const JOB_COLUMNS = {
  finishedAt: ['finished_at', 'timestamptz'],
  projectUid: ['project_uid', 'uuid'],
  uid: ['uid', 'uuid'],
  id: ['id', 'uuid'],
  clusterUid: ['cluster_uid', 'uuid'],
  namespace: ['namespace', 'text'],
  name: ['name', 'text'],
  createdAt: ['created_at', 'timestamptz'],
  startedAt: ['started_at', 'timestamptz'],
  phase: ['phase', 'text'],
  reason: ['reason', 'text'],
  service: ['service', 'text'],
  bucketName: ['bucket', 'text'],
  key: ['key', 'text'],
  files: ['files', 'integer'],
  bytes: ['bytes', 'bigint'],
  durationMs: ['duration_ms', 'bigint'],
  createdBy: ['created_by', 'text'],
  webhookState: ['webhook_state', 'text'],
  runAgainOf: ['run_again_of', 'text'],
  requestSha256: ['request_sha256', 'text'],
} as const satisfies Readonly<Record<keyof HistoryJob, readonly [column: string, type: string]>>;
