import type { HistoryDatabase } from './database.ts';
import type { PlacedJob } from './search-statement.ts';

interface MetadataRow {
  readonly uid: string;
  readonly metadata: string;
}

/**
 * The metadata of jobs of one project, by uid. The jobs are sorted, newest first. The limits of the time exclude the partitions of
 * other months, and LATERAL with LIMIT makes PostgreSQL look up each job by its primary key, whatever its statistics say.
 */
export async function metadataOf(
  database: Pick<HistoryDatabase, 'query'>,
  placed: readonly PlacedJob[],
  signal?: AbortSignal,
): Promise<ReadonlyMap<string, string>> {
  const [first, last] = [placed[0], placed.at(-1)];
  if (first === undefined || last === undefined) return new Map();
  const text = `
SELECT wanted.uid, found.metadata
FROM unnest($1::timestamptz[], $2::uuid[]) AS wanted (finished_at, uid)
CROSS JOIN LATERAL (
  SELECT metadata FROM zipjobs.job_details AS details
  WHERE details.project_uid = $3 AND details.finished_at = wanted.finished_at AND details.uid = wanted.uid
    AND details.finished_at >= $4 AND details.finished_at <= $5
  LIMIT 1
) AS found`;
  const values = [
    placed.map(({ place }) => place.finishedAt),
    placed.map(({ place }) => place.uid),
    first.job.projectUid,
    last.place.finishedAt,
    first.place.finishedAt,
  ];
  const rows = await database.query<MetadataRow>({ text, values }, signal);
  return new Map(rows.map(({ uid, metadata }) => [uid, metadata]));
}
