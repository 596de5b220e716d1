import type { HistoryFigures } from './measure-history.ts';

/** The figures as tables in Markdown. */
export function historyLines({
  rows,
  generated_s,
  sizes,
  queries,
  writes,
  plans,
}: HistoryFigures): readonly string[] {
  return [
    `history: ${rows} jobs of 365 days, generated in ${generated_s} s; plans: ${plans}`,
    '',
    '| query | client p50, p99 (ms) | server p50, p99 (ms) | server CPU (ms) | statements | target (ms) |',
    '|---|---|---|---|---|---|',
    ...queries.map((one) => {
      const server = one.server_p50_ms === undefined ? '' : `${one.server_p50_ms}, ${one.server_p99_ms}`;
      return `| ${one.query} | ${one.client_p50_ms}, ${one.client_p99_ms} | ${server} | ${one.server_cpu_ms} | ${one.statements ?? ''} | ${one.target_ms} |`;
    }),
    '',
    '| table | rows | table (MB) | indexes (MB) | bytes per row |',
    '|---|---|---|---|---|',
    ...sizes.map(
      (one) => `| ${one.table} | ${one.rows} | ${one.table_mb} | ${one.index_mb} | ${one.bytes_per_row} |`,
    ),
    '',
    '| writes | jobs/s | p50, p99 of a batch (ms) | server CPU per job (ms) | bytes of WAL per job |',
    '|---|---|---|---|---|',
    ...writes.map(
      (one) =>
        `| ${one.what} | ${one.jobs_per_s} | ${one.p50_ms}, ${one.p99_ms} | ${one.server_cpu_ms_per_job} | ${one.wal_bytes_per_job} |`,
    ),
  ];
}
