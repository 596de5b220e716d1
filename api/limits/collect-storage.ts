import { Gauge, type Registry } from 'prom-client';
import type { Storage, StorageLedger, StorageLimits } from './storage-ledger.ts';

export interface StorageSources {
  readonly ledger: Pick<StorageLedger, 'totals'>;
  /** Not the limits in force: owners of a project could lower them, and so trigger the alert or hide a project that is full. */
  readonly classOf: (namespace: string) => { readonly limits: StorageLimits };
  readonly maxFileListBytes: number;
}

/** What the gauges report of each field of Storage. */
const TOTALS = {
  jobs: { name: 'zip_api_stored_jobs', help: 'Stored ZipJobs of all projects.' },
  bytes: {
    name: 'zip_api_stored_bytes',
    help: 'Bytes of the stored ZipJobs and file lists of all projects.',
  },
  fileListBytes: {
    name: 'zip_api_file_lists_stored_bytes',
    help: 'Compressed bytes of the stored file lists of all projects.',
  },
} as const satisfies Readonly<Record<keyof Storage, { name: string; help: string }>>;

const FIELDS = ['jobs', 'bytes', 'fileListBytes'] as const;

/**
 * Reports what projects store, at each scrape. There is no project label, because the number of projects is unbounded; the log
 * names a project that is full.
 */
export function collectStorage(
  registry: Registry,
  { ledger, classOf, maxFileListBytes }: StorageSources,
): void {
  const registers = [registry];
  for (const field of FIELDS)
    new Gauge({
      ...TOTALS[field],
      registers,
      collect() {
        let total = 0;
        for (const [, stored] of ledger.totals()) total += stored[field];
        this.set(total);
      },
    });
  new Gauge({
    name: 'zip_api_fullest_project_ratio',
    help: 'Used share of a limit of its class by the project with the largest share, from 0 to 1; by limit: storedJobs, storedBytes or fileListBytes.',
    labelNames: ['limit'],
    registers,
    collect() {
      const most = { storedJobs: 0, storedBytes: 0, fileListBytes: 0 };
      for (const [namespace, { jobs, bytes, fileListBytes }] of ledger.totals()) {
        const { storedJobs, storedBytes } = classOf(namespace).limits;
        most.storedJobs = Math.max(most.storedJobs, jobs / storedJobs);
        most.storedBytes = Math.max(most.storedBytes, bytes / storedBytes);
        most.fileListBytes = Math.max(most.fileListBytes, fileListBytes / maxFileListBytes);
      }
      for (const [limit, share] of Object.entries(most)) this.set({ limit }, share);
    },
  });
}
