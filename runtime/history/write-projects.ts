/** What the history knows of projects, for their retention. */
import type { HistoryDatabase } from './database.ts';
import type { HistoryOwner } from './history-job.ts';

export interface HistoryProject extends HistoryOwner {
  readonly namespace: string;
  /** Days after which its jobs are deleted. Null: the retention of the installation. */
  readonly retentionDays: number | null;
}

/**
 * Records projects, or their changed retentions, in one statement. In the order of the key, so that two controllers never wait for
 * each other in a circle. @throws AppError of HistoryDatabase
 */
export async function markProjects(
  database: Pick<HistoryDatabase, 'query'>,
  projects: readonly HistoryProject[],
): Promise<void> {
  if (projects.length === 0) return;
  await database.query({
    text: `INSERT INTO zipjobs.projects AS old (project_uid, cluster_uid, namespace, retention_days)
      SELECT DISTINCT ON (project_uid) * FROM unnest($1::uuid[], $2::uuid[], $3::text[], $4::integer[])
        AS new (project_uid, cluster_uid, namespace, retention_days) ORDER BY project_uid
      ON CONFLICT (project_uid) DO UPDATE SET retention_days = excluded.retention_days
      WHERE old.retention_days IS DISTINCT FROM excluded.retention_days`,
    values: [
      projects.map(({ projectUid }) => projectUid),
      projects.map(({ clusterUid }) => clusterUid),
      projects.map(({ namespace }) => namespace),
      projects.map(({ retentionDays }) => retentionDays),
    ],
  });
}

/** Records that the ZipProject was deleted, which cannot be undone. Keeps the first time. @throws AppError of HistoryDatabase */
export async function markDeleted(
  database: Pick<HistoryDatabase, 'query'>,
  { projectUid, clusterUid, namespace }: Omit<HistoryProject, 'retentionDays'>,
): Promise<void> {
  await database.query({
    text: `INSERT INTO zipjobs.projects AS old (project_uid, cluster_uid, namespace, deleted_at) VALUES ($1, $2, $3, now())
      ON CONFLICT (project_uid) DO UPDATE SET deleted_at = excluded.deleted_at WHERE old.deleted_at IS NULL`,
    values: [projectUid, clusterUid, namespace],
  });
}
