import { rfc3339 } from '#crds/conditions.ts';
import { isFinished } from '#crds/zip-job.ts';
import type { Reflector } from '#runtime/kube/types.ts';
import type { JobOrder } from '../../live/job-order.ts';
import type { ListedJob } from '../../live/listed-job.ts';
import { phaseOf } from './job-progress.ts';
import { isNarrowed, type JobQuery, PERIODS } from './job-query.ts';

export const JOBS_ON_A_PAGE = 25;

export interface JobPage {
  readonly jobs: readonly ListedJob[];
  /** How many match. */
  readonly total: number;
  readonly page: number;
  readonly pages: number;
}

interface Source {
  readonly order: Pick<JobOrder, 'size' | 'stretch' | 'newestFirst'>;
  readonly zipJobs: Pick<Reflector<ListedJob>, 'get'>;
}

interface Wanted {
  readonly namespace: string;
  readonly query: JobQuery;
  readonly now: Date;
}

const isOfState = (job: ListedJob, state: JobQuery['state']): boolean =>
  state === '' || (state === 'unfinished' ? !isFinished(job) : phaseOf(job) === state);

/** Text matches names (which contain the ID) and keys, case-insensitively. */
const matcherOf = ({ text, state, bucket }: JobQuery): ((job: ListedJob) => boolean) => {
  const needle = text.toLowerCase();
  return (job) =>
    (bucket === '' || job.spec.bucketRef.name === bucket) &&
    isOfState(job, state) &&
    (needle === '' || job.metadata.name.includes(needle) || job.spec.key.toLowerCase().includes(needle));
};

const oldestOf = ({ query, now }: Wanted): string => {
  const period = PERIODS.find(({ value }) => value === query.within);
  return period === undefined ? '' : rfc3339(new Date(now.getTime() - period.ms));
};

const clamp = (page: number, total: number): Pick<JobPage, 'page' | 'pages'> => {
  const pages = Math.max(1, Math.ceil(total / JOBS_ON_A_PAGE));
  return { page: Math.min(page, pages), pages };
};

/** Without a filter, reads only the jobs of the page. */
const pageOfAll = ({ order, zipJobs }: Source, { namespace, query }: Wanted): JobPage => {
  const total = order.size(namespace);
  const at = clamp(query.page, total);
  const names = order.stretch(namespace, (at.page - 1) * JOBS_ON_A_PAGE, JOBS_ON_A_PAGE);
  return { jobs: names.flatMap((name) => zipJobs.get(`${namespace}/${name}`) ?? []), total, ...at };
};

/** With a filter, reads each job of the period once and keeps only the matches. */
const pageOfMatching = ({ order, zipJobs }: Source, wanted: Wanted): JobPage => {
  const { namespace, query } = wanted;
  const matches = matcherOf(query);
  const found: ListedJob[] = [];
  for (const name of order.newestFirst(namespace, oldestOf(wanted))) {
    const job = zipJobs.get(`${namespace}/${name}`);
    if (job !== undefined && matches(job)) found.push(job);
  }
  const at = clamp(query.page, found.length);
  const first = (at.page - 1) * JOBS_ON_A_PAGE;
  return { jobs: found.slice(first, first + JOBS_ON_A_PAGE), total: found.length, ...at };
};

/** One page of the matching jobs, newest first; the last page when the requested one is past the end. */
export const findJobs = (source: Source, wanted: Wanted): JobPage =>
  isNarrowed(wanted.query) ? pageOfMatching(source, wanted) : pageOfAll(source, wanted);
