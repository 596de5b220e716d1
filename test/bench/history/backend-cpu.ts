import { readFileSync } from 'node:fs';
import type { HistoryDatabase } from '#runtime/history/database.ts';

/** Milliseconds of CPU time of the server process of a connection, which do not depend on other load as times of a clock do. */
export async function createCpuMeter(database: Pick<HistoryDatabase, 'query'>): Promise<() => number> {
  const [row] = await database.query<{ readonly pid: number }>({ text: 'SELECT pg_backend_pid() AS pid' });
  return () => {
    const [nanoseconds] = readFileSync(`/proc/${row?.pid}/schedstat`, 'utf8').split(' ');
    return Number(nanoseconds) / 1e6;
  };
}
