/** The columns of `zipjobs.jobs` under the names of `HistoryJob`. */
export const SELECTED_COLUMNS = `finished_at AS "finishedAt", project_uid AS "projectUid", uid, id, cluster_uid AS "clusterUid", namespace, name,
  created_at AS "createdAt", started_at AS "startedAt", phase, reason, service, bucket AS "bucketName", key, files, bytes,
  duration_ms AS "durationMs", created_by AS "createdBy", webhook_state AS "webhookState", run_again_of AS "runAgainOf",
  request_sha256 AS "requestSha256"`;

/** A time with all its microseconds. A Date has only milliseconds, so a cursor from one would repeat or skip jobs. */
export function utcText(column: string): string {
  return `to_char(${column} AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')`;
}
