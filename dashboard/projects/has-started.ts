import type { ZipProject } from '#crds/zip-project.ts';
import { toError } from '#runtime/errors.ts';
import type { Logger } from '#runtime/log/log.ts';
import type { DashboardConfig } from '../config.ts';
import type { History } from '../history/history-reader.ts';
import type { KnownJobs } from '../live/known-jobs.ts';
import { keptFor } from '../overview/kept-figures.ts';

const DAY_MS = 86_400_000;
/** Of usageByDay. */
const MOST_DAYS = 400;
/** A project that has started stays started, unless its history is deleted. */
const STARTED_AGE_MS = 3_600_000;
const OTHER_AGE_MS = 60_000;
/** How long succeeded jobs stay in a cluster without a history, if neither the job nor the project says otherwise. */
const RETENTION_SECONDS = 7 * 86_400;

/**
 * Whether a job of the project has ever succeeded. Undefined if that cannot be known: such a job can have expired, and there is
 * no history, or it does not respond.
 */
export type HasStarted = (project: ZipProject, now: Date) => Promise<boolean | undefined>;

interface HasStartedDeps {
  readonly jobs: { readonly choices: Pick<KnownJobs['choices'], 'of'> };
  readonly history: Pick<History, 'usageByDay'> | undefined;
  readonly config: Pick<DashboardConfig, 'dashboardStatisticsTimeoutMs'>;
  readonly log: Pick<Logger, 'warn'>;
}

function createdMs({ metadata }: ZipProject): number {
  return Date.parse(metadata.creationTimestamp ?? '');
}

/** True if the cluster still has every job of this project that succeeded. */
function isYoung(project: ZipProject, now: Date): boolean {
  const { succeeded = RETENTION_SECONDS } = project.spec.jobDefaults?.ttlSecondsAfterFinished ?? {};
  return !(now.getTime() - createdMs(project) > succeeded * 1_000);
}

/** Undefined while the database does not respond: every page asks, so none waits for it again for a while. */
function createAskHistory(
  { config, log }: Pick<HasStartedDeps, 'config' | 'log'>,
  history: Pick<History, 'usageByDay'>,
) {
  return keptFor(STARTED_AGE_MS, async (key: string, now: Date, keepOnly: (ms: number) => void) => {
    const [projectUid = '', created] = key.split(' ');
    const oldestMs = now.getTime() - (MOST_DAYS - 1) * DAY_MS;
    const from = new Date(Math.max(Number(created) || oldestMs, oldestMs));
    keepOnly(OTHER_AGE_MS);
    try {
      const signal = AbortSignal.timeout(config.dashboardStatisticsTimeoutMs);
      const days = await history.usageByDay({ projectUids: [projectUid], from, to: now, signal });
      const hasStarted = days.some(({ succeeded }) => succeeded > 0);
      if (hasStarted) keepOnly(STARTED_AGE_MS);
      return hasStarted;
    } catch (error) {
      log.warn(
        { err: toError(error), projectUid },
        'cannot read from the history whether a job has succeeded',
      );
      return undefined;
    }
  });
}

export function createHasStarted(deps: HasStartedDeps): HasStarted {
  const { jobs, history } = deps;
  const askHistory = history && createAskHistory(deps, history);
  return async (project, now) => {
    const { namespace, uid } = project.metadata;
    if (jobs.choices.of(namespace, 'phase').includes('Succeeded')) return true;
    if (askHistory !== undefined && uid !== undefined) {
      const recorded = await askHistory(`${uid} ${createdMs(project)}`, now);
      if (recorded !== undefined) return recorded;
    }
    return isYoung(project, now) ? false : undefined;
  };
}
