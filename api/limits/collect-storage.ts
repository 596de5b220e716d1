import { Gauge, type Registry } from 'prom-client';
import { MAX_LABELLED, OTHER_PROJECTS, type ProjectLabels } from '#runtime/metrics/project-labels.ts';
import type { Storage, StorageLedger, StorageLimits } from './storage-ledger.ts';

export interface StorageSources {
  readonly ledger: Pick<StorageLedger, 'totals'>;
  /** Not the limits in force: owners of a project could lower them, and so trigger the alert or hide a project that is full. */
  readonly classOf: (namespace: string) => { readonly limits: StorageLimits };
  readonly maxFileListBytes: number;
  readonly projects: Pick<ProjectLabels, 'labelOf' | 'rest'>;
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

const LIMITS = ['storedJobs', 'storedBytes', 'fileListBytes'] as const;

type Shares = Readonly<Record<(typeof LIMITS)[number], number>>;

/** A fuller project has series of its own even if it is not busy. */
const NEARLY_FULL = 0.9;

/** The used share of each limit, from 0 to 1, by project. */
function sharesOf({ ledger, classOf, maxFileListBytes }: StorageSources): ReadonlyMap<string, Shares> {
  const shares = new Map<string, Shares>();
  for (const [project, { jobs, bytes, fileListBytes }] of ledger.totals()) {
    const { storedJobs, storedBytes } = classOf(project).limits;
    shares.set(project, {
      storedJobs: jobs / storedJobs,
      storedBytes: bytes / storedBytes,
      fileListBytes: fileListBytes / maxFileListBytes,
    });
  }
  return shares;
}

/** The nearly full projects, fullest first. */
function nearlyFull(shares: ReadonlyMap<string, Shares>): readonly string[] {
  function fullness(project: string): number {
    return Math.max(...Object.values(shares.get(project) ?? {}));
  }
  return [...shares.keys()]
    .filter((project) => fullness(project) > NEARLY_FULL)
    .toSorted((one, other) => fullness(other) - fullness(one));
}

/** The values of the label: nearly full projects first, then busy ones. */
function labelsOf(shares: ReadonlyMap<string, Shares>, projects: StorageSources['projects']) {
  const { rest } = projects;
  // Without figures per project, every label is the rest.
  if (rest !== OTHER_PROJECTS) return () => rest;
  const busy = [...shares.keys()].filter((project) => projects.labelOf(project) === project);
  const labelled = new Set([...new Set([...nearlyFull(shares), ...busy])].slice(0, MAX_LABELLED));
  return (project: string) => (labelled.has(project) ? project : rest);
}

/** The largest share of the projects behind each value of the label. */
function largestShares(sources: StorageSources): ReadonlyMap<string, Shares> {
  const shares = sharesOf(sources);
  const label = labelsOf(shares, sources.projects);
  const largest = new Map<string, Shares>([
    [sources.projects.rest, { storedJobs: 0, storedBytes: 0, fileListBytes: 0 }],
  ]);
  for (const [project, own] of shares) {
    const known = largest.get(label(project)) ?? own;
    largest.set(label(project), {
      storedJobs: Math.max(known.storedJobs, own.storedJobs),
      storedBytes: Math.max(known.storedBytes, own.storedBytes),
      fileListBytes: Math.max(known.fileListBytes, own.fileListBytes),
    });
  }
  return largest;
}

/** Reports what projects store, at each scrape. */
export function collectStorage(registry: Registry, sources: StorageSources): void {
  const registers = [registry];
  for (const field of FIELDS)
    new Gauge({
      ...TOTALS[field],
      registers,
      collect() {
        let total = 0;
        for (const [, stored] of sources.ledger.totals()) total += stored[field];
        this.set(total);
      },
    });
  new Gauge({
    name: 'zip_api_project_limit_ratio',
    help: 'Used share of a limit of its class by each project, from 0 to 1, by limit: storedJobs, storedBytes or fileListBytes. Projects above 0.9 have series of their own before busier ones; `_other` has the largest share of the rest.',
    labelNames: ['project', 'limit'],
    registers,
    collect() {
      this.reset();
      for (const [project, shares] of largestShares(sources))
        for (const limit of LIMITS) this.set({ project, limit }, shares[limit]);
    },
  });
}
