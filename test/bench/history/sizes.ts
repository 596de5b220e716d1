import type { Session } from './generate-rows.ts';

export interface SizeFigure {
  readonly table: string;
  readonly rows: number;
  readonly table_mb: number;
  readonly index_mb: number;
  readonly bytes_per_row: number;
}

interface SizeRow {
  readonly rows: string;
  readonly heap: string;
  readonly indexes: string;
}

const MB = 1_000_000;

/** A table with all partitions. Long texts (TOAST) are part of the table. */
export async function measureSizes(session: Session): Promise<readonly SizeFigure[]> {
  const figures: SizeFigure[] = [];
  for (const table of ['jobs', 'job_details', 'usage_hours']) {
    const { rows } = await session.query(
      `SELECT (SELECT count(*) FROM zipjobs.${table}) AS rows, sum(pg_table_size(relid)) AS heap, sum(pg_indexes_size(relid)) AS indexes
       FROM pg_partition_tree('zipjobs.${table}') WHERE isleaf`,
    );
    const [one] = rows as readonly SizeRow[];
    const [count, heap, indexes] = [one?.rows, one?.heap, one?.indexes].map(Number) as [
      number,
      number,
      number,
    ];
    figures.push({
      table,
      rows: count,
      table_mb: Math.round(heap / MB),
      index_mb: Math.round(indexes / MB),
      bytes_per_row: Math.round((heap + indexes) / Math.max(1, count)),
    });
  }
  return figures;
}
