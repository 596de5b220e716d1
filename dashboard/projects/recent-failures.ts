import { uuidOfName } from '#crds/zip-job-facts.ts';
import type { PageDeps } from '../http/page-deps.ts';
import { failureReason } from '../live/listed-job.ts';
import { FORMAT } from '../ui/format.ts';
import { reasonText } from '../ui/reason-text.ts';
import type { VisibleProject } from '../user/visible-projects.ts';

/** Whether the user may list the jobs of a namespace. */
export type MayListJobs = (namespace: string) => Promise<boolean>;

const DAY_MS = 86_400_000;
/** Failures in the list. */
const RECENT_FAILURES = 8;
/** Projects that are asked for: a user may see thousands, and each costs a review. */
const MOST_ASKED = 32;

export interface ProjectFailure {
  readonly project: string;
  readonly projectHref: string;
  readonly key: string;
  readonly href: string;
  readonly code: string;
  readonly reason: string;
  readonly finishedAt: string;
}

function* newestNames(names: IterableIterator<string>): Generator<string> {
  let left = RECENT_FAILURES;
  for (const name of names) {
    if (left === 0) return;
    left -= 1;
    yield name;
  }
}

function failuresIn(
  { caches: { zipJobs }, jobs: { ended } }: Pick<PageDeps, 'caches' | 'jobs'>,
  { namespace, title }: VisibleProject,
  oldest: string,
): readonly ProjectFailure[] {
  return [...newestNames(ended.failed.newestFirst(namespace, oldest))].flatMap((name) => {
    const job = zipJobs.get(`${namespace}/${name}`);
    if (job === undefined) return [];
    const code = failureReason(job);
    return [
      {
        project: title,
        projectHref: FORMAT.path('projects', namespace),
        key: job.spec.key,
        href: FORMAT.path('projects', namespace, 'jobs', uuidOfName(name) ?? name),
        code,
        reason: reasonText(code),
        finishedAt: job.status.finishedAt ?? '',
      },
    ];
  });
}

/**
 * The newest failed jobs of the last 24 hours in the cluster, of all these projects whose jobs the user may list. They are in the projects that
 * failed last, so no other project is asked for or read.
 */
export async function newestFailuresOf(
  deps: Pick<PageDeps, 'caches' | 'jobs'>,
  projects: readonly VisibleProject[],
  { mayList, now }: { readonly mayList: MayListJobs; readonly now: Date },
): Promise<readonly ProjectFailure[]> {
  const { failed } = deps.jobs.ended;
  const oldest = new Date(now.getTime() - DAY_MS).toISOString();
  const lastFailed = projects
    .map((project) => ({ project, at: failed.newest(project.namespace)?.at ?? '' }))
    .filter(({ at }) => Date.parse(at) >= now.getTime() - DAY_MS)
    .sort((a, b) => Date.parse(b.at) - Date.parse(a.at))
    .slice(0, MOST_ASKED);
  const allowed = await Promise.all(
    lastFailed.map(async ({ project }) => ((await mayList(project.namespace)) ? [project] : [])),
  );
  return allowed
    .flat()
    .slice(0, RECENT_FAILURES)
    .flatMap((project) => failuresIn(deps, project, oldest))
    .sort((a, b) => Date.parse(b.finishedAt) - Date.parse(a.finishedAt))
    .slice(0, RECENT_FAILURES);
}
