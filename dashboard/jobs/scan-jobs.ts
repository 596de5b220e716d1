import { setImmediate } from 'node:timers/promises';
import { zipJobName } from '#crds/api-group.ts';
import { zipJobId } from '#crds/zip-job-facts.ts';
import type { PageDeps } from '../http/page-deps.ts';
import type { ListedJob } from '../live/listed-job.ts';
import { matchesPattern, type SearchText } from './search-text.ts';

type Wanted = Exclude<SearchText, { readonly kind: 'id' }>;

/** Jobs that are read before other requests get their turn. */
const READS_AT_ONCE = 10_000;

/** Whether a job has this key, or this start of its ID. A text that looks like an ID may be a key. */
function matcherOf(text: string, wanted: Wanted): (job: ListedJob) => boolean {
  if (wanted.kind === 'key') return ({ spec }) => matchesPattern(wanted.key, spec.key);
  const name = zipJobName(wanted.prefix);
  return (job) =>
    job.metadata.name.startsWith(name) || job.spec.key === text || zipJobId(job).startsWith(wanted.prefix);
}

export interface ScannedJobs {
  readonly jobs: readonly ListedJob[];
  /** How many jobs were read. */
  readonly reads: number;
}

/** The newest jobs of a project that match a text, at most `most`. Reads at most `mostReads` jobs. */
export async function scanJobs(
  { caches: { zipJobs }, jobs: { order } }: Pick<PageDeps, 'caches' | 'jobs'>,
  namespace: string,
  search: {
    readonly text: string;
    readonly wanted: Wanted;
    readonly most: number;
    readonly mostReads: number;
  },
): Promise<ScannedJobs> {
  const { text, wanted, most, mostReads } = search;
  const matches = matcherOf(text, wanted);
  const jobs: ListedJob[] = [];
  let reads = 0;
  for (const name of order.newestFirst(namespace)) {
    if (reads >= mostReads || jobs.length >= most) break;
    reads += 1;
    const job = zipJobs.get(`${namespace}/${name}`);
    if (job !== undefined && matches(job)) jobs.push(job);
    if (reads % READS_AT_ONCE === 0) await setImmediate();
  }
  return { jobs, reads };
}
