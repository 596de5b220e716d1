import type { HistoryDatabase } from '#runtime/history/database.ts';
import { writeJobs } from '#runtime/history/write-jobs.ts';
import type { HistoryWrites } from './batch.ts';

export function createHistoryWrites(database: Pick<HistoryDatabase, 'query' | 'transaction'>): HistoryWrites {
  return {
    probe: async (signal) => {
      await database.query({ text: 'SELECT 1' }, signal);
    },
    write: async (entries) => {
      await writeJobs(database, entries);
    },
  };
}
