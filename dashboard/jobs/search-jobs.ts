import type { PageRequest } from '../http/page.ts';
import type { PageDeps } from '../http/page-deps.ts';
import type { Place } from '../live/job-order.ts';
import { createSharedReads } from '../user/shared-reads.ts';
import { countJobs, findJobs, type JobCounts, type JobPage, readsAll } from './find-jobs.ts';
import { isNarrowed, type JobQuery, writeJobQuery } from './job-query.ts';

const BYTES_OF_A_JOB = 4 * 1_024;
const BYTES_OF_COUNTS = 1_024;

/** A page, and the newest job of the project when it was read: every later one is new to its reader. */
export interface SearchedPage extends JobPage {
  readonly newest: Place | undefined;
}

export interface SearchJobs {
  page(request: PageRequest, query: JobQuery): Promise<SearchedPage>;
  /** `place` is the newest job when the page was opened. */
  counts(request: PageRequest, query: JobQuery, place: Place): Promise<JobCounts>;
}

/** A search reads every job of the project, so the sessions of a user share its results. */
export function createSearchJobs({
  caches: { zipJobs },
  jobs: { order },
  config,
  clock,
  metrics,
}: PageDeps): SearchJobs {
  const source = { order, zipJobs };
  function sharedOf<T>(bytesOf: (value: T) => number) {
    return createSharedReads<T>({
      clock,
      ageMs: config.dashboardSharedReadMs,
      maxBytes: config.dashboardSharedReadBytes,
      bytesOf,
      onShared: () => metrics.sharedReads.inc({ kind: 'search' }),
    });
  }
  const sharePage = sharedOf<SearchedPage>(({ jobs }) => (jobs.length + 1) * BYTES_OF_A_JOB);
  const shareCounts = sharedOf<JobCounts>(() => BYTES_OF_COUNTS);
  return {
    page: async ({ user, namespace, now }, query) => {
      function find(): SearchedPage {
        return {
          ...findJobs(source, { namespace, query, now }),
          newest: order.newest(namespace),
        };
      }
      if (!readsAll(query)) return find();
      return sharePage(user.name, [namespace, writeJobQuery(query)], () => Promise.resolve(find()));
    },
    counts: async ({ user, namespace, now }, query, place) => {
      function count(): JobCounts {
        return countJobs(source, { namespace, query, now }, place);
      }
      if (!isNarrowed(query)) return count();
      const args = [namespace, writeJobQuery({ ...query, page: 1 }), place.at, place.name];
      return shareCounts(user.name, args, () => Promise.resolve(count()));
    },
  };
}
