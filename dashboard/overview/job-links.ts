import type { Phase } from '#crds/zip-job.ts';
import { minuteText } from '../jobs/job-query.ts';
import { FORMAT } from '../ui/format.ts';

/** Which finished jobs a number of the overview counts. */
export interface CountedJobs {
  readonly state?: Extract<Phase, 'Succeeded' | 'Failed' | 'Cancelled'>;
  readonly reason?: string;
  readonly fromMs?: number;
  /** Excluded. */
  readonly toMs?: number;
}

/** The list that has exactly these jobs. */
export type JobLinks = (jobs: CountedJobs) => string;

/** Parameters of the times at which jobs finished. */
interface Times {
  readonly from: string;
  readonly to: string;
}

function queryOf({ state, reason, fromMs, toMs }: CountedJobs, times: Times): string {
  const texts = {
    state: state ?? '',
    reason: reason ?? '',
    [times.from]: fromMs === undefined ? '' : minuteText(fromMs),
    [times.to]: toMs === undefined ? '' : minuteText(toMs),
  };
  const params = new URLSearchParams(Object.entries(texts).filter(([, value]) => value !== ''));
  return params.size === 0 ? '' : `?${params.toString()}`;
}

export function historyLinks(namespace: string): JobLinks {
  return (jobs) => FORMAT.path('projects', namespace, 'history') + queryOf(jobs, { from: 'from', to: 'to' });
}

/** Without a history, or while it is away. */
export function clusterLinks(namespace: string): JobLinks {
  return (jobs) =>
    FORMAT.path('projects', namespace, 'jobs') + queryOf(jobs, { from: 'finished-from', to: 'finished-to' });
}
