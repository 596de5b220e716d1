/** What the history knows of projects, for their retention. */
import type { HistoryDatabase } from './database.ts';
import type { HistoryOwner } from './history-job.ts';

export interface HistoryProject extends HistoryOwner {
  readonly namespace: string;
  /** Days after which its jobs are deleted. Null: the retention of the installation. */
  readonly retentionDays: number | null;
}

/** Records a project, or its changed retention. @throws AppError of HistoryDatabase */
export const markProject = async (
  database: Pick<HistoryDatabase, 'query'>,
  { projectUid, clusterUid, namespace, retentionDays }: HistoryProject,
): Promise<void> => {
  await database.query({
    text: `INSERT INTO zipjobs.projects AS old (project_uid, cluster_uid, namespace, retention_days) VALUES ($1, $2, $3, $4)
      ON CONFLICT (project_uid) DO UPDATE SET retention_days = excluded.retention_days
      WHERE old.retention_days IS DISTINCT FROM excluded.retention_days`,
    values: [projectUid, clusterUid, namespace, retentionDays],
  });
};

/** Records that the ZipProject was deleted, which cannot be undone. Keeps the first time. @throws AppError of HistoryDatabase */
export const markDeleted = async (
  database: Pick<HistoryDatabase, 'query'>,
  { projectUid, clusterUid, namespace }: Omit<HistoryProject, 'retentionDays'>,
): Promise<void> => {
  await database.query({
    text: `INSERT INTO zipjobs.projects AS old (project_uid, cluster_uid, namespace, deleted_at) VALUES ($1, $2, $3, now())
      ON CONFLICT (project_uid) DO UPDATE SET deleted_at = excluded.deleted_at WHERE old.deleted_at IS NULL`,
    values: [projectUid, clusterUid, namespace],
  });
};
