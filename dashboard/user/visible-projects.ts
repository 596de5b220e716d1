import { PROJECT_NAME } from '#crds/api-group.ts';
import type { ZipProject } from '#crds/zip-project.ts';
import { inBatches } from '#runtime/collections/in-batches.ts';
import type { Reflector } from '#runtime/kube/types.ts';
import type { Question, Verdict } from './access.ts';
import { MOST_AGE_MS, type User } from './user.ts';

export interface VisibleProject {
  readonly namespace: string;
  /** Display name, or the namespace. */
  readonly title: string;
  readonly project: ZipProject;
}

/** A user sees a project when allowed to get its ZipProject. */
export const SEE_PROJECT: Question = { verb: 'get', resource: 'zipprojects', name: PROJECT_NAME };

/** Access reviews that run at the same time. */
const AT_A_TIME = 16;

type Ask = (namespace: string, question: Question) => Promise<Verdict>;

export function toVisible(project: ZipProject): VisibleProject {
  const { namespace } = project.metadata;
  return { namespace, title: project.spec.displayName ?? namespace, project };
}

async function allowedOf(projects: readonly ZipProject[], ask: Ask): Promise<readonly ZipProject[]> {
  const everywhere = await ask('', SEE_PROJECT);
  if (everywhere.allowed) return projects;
  const verdicts = await inBatches(projects, AT_A_TIME, ({ metadata }) =>
    ask(metadata.namespace, SEE_PROJECT),
  );
  return projects.filter((_, index) => verdicts[index]?.allowed === true);
}

/**
 * The cached projects that the user is allowed to see, by title. `isMenu` accepts results that are up to 30 s old: a user without
 * a role in the entire cluster costs a review of each project. The pages of a project review the access again.
 */
export async function visibleProjects(
  projects: Pick<Reflector<ZipProject>, 'values'>,
  user: User,
  { isMenu }: { readonly isMenu: boolean },
): Promise<readonly VisibleProject[]> {
  const all = [...projects.values()].filter(({ metadata }) => metadata.name === PROJECT_NAME);
  const allowed = await allowedOf(all, (namespace, question) =>
    isMenu ? user.seemsToBeAllowed(namespace, question, MOST_AGE_MS) : user.may(namespace, question),
  );
  return allowed.map(toVisible).sort((a, b) => a.title.localeCompare(b.title, 'en'));
}
