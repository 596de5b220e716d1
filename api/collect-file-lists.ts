import { Gauge, type Registry } from 'prom-client';
import type { FileListLedger } from './file-list-ledger.ts';

/** How many bytes of file lists are stored, as it is at a scrape. Projects are not named: their number has no bound. */
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
