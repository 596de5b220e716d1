import { Gauge, type Registry } from 'prom-client';
import type { FileListLedger } from './file-list-ledger.ts';

/** How many bytes of file lists each project has stored, as it is at a scrape. */
export const collectFileLists = (registry: Registry, ledger: Pick<FileListLedger, 'totals'>): void => {
  const gauge = new Gauge({
    name: 'zip_api_file_lists_stored_bytes',
    help: 'Compressed bytes of the file lists in Secrets, by project; limited by MAX_FILE_LIST_BYTES_PER_PROJECT.',
    labelNames: ['project'],
    registers: [registry],
    collect: () => {
      gauge.reset();
      for (const [project, bytes] of ledger.totals()) gauge.set({ project }, bytes);
    },
  });
};
