import { Gauge, type Registry } from 'prom-client';
import type { FileListLedger } from './file-list-ledger.ts';

/** Reports the stored bytes of file lists at each scrape. There is no project label, because the number of projects is unbounded. */
export const collectFileLists = (registry: Registry, ledger: Pick<FileListLedger, 'totals'>): void => {
  const registers = [registry];
  const bytes = (): readonly number[] => Array.from(ledger.totals(), ([, stored]) => stored);
  new Gauge({
    name: 'zip_api_file_lists_stored_bytes',
    help: 'Compressed bytes of the stored file lists of all projects.',
    registers,
    collect() {
      this.set(bytes().reduce((sum, one) => sum + one, 0));
    },
  });
  new Gauge({
    name: 'zip_api_file_lists_fullest_project_bytes',
    help: 'Compressed bytes of the stored file lists of the project with the most; limited by MAX_FILE_LIST_BYTES_PER_PROJECT.',
    registers,
    collect() {
      this.set(bytes().reduce((most, one) => Math.max(most, one), 0));
    },
  });
};
