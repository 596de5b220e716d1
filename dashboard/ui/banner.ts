import type { Section } from '../http/page.ts';
import type { Question } from '../user/access.ts';
import type { User } from '../user/user.ts';
import type { VisibleProject } from '../user/visible-projects.ts';

/** What the user may not do in a project, shown once above the page instead of beside each button. */
export interface Banner {
  readonly title: string;
  readonly text: string;
}

/** The roles of the chart are added to the roles of Kubernetes with these names (charts/zipjobs/templates/roles). */
type Role = 'edit' | 'admin';

/** A permission that no lesser role has. */
const PROOFS: Readonly<Record<Role, Question>> = {
  edit: { verb: 'create', resource: 'zipjobs' },
  admin: { verb: 'create', resource: 'ziptokens' },
};

/** Pages whose changes need the role admin. */
const OF_ADMINS: readonly (Section | undefined)[] = ['tokens', 'webhook', 'settings'];

/** The role that the user lacks for the changes on this page. */
export async function bannerOf(
  user: Pick<User, 'seemsToBeAllowed'>,
  { namespace }: Pick<VisibleProject, 'namespace'>,
  section: Section | undefined,
): Promise<Banner | undefined> {
  async function has(role: Role): Promise<boolean> {
    return (await user.seemsToBeAllowed(namespace, PROOFS[role])).allowed;
  }
  if (!(await has('edit')))
    return {
      title: 'View only.',
      text: `To change jobs and buckets, you need the role edit in ${namespace}. For access tokens and the project, you need the role admin.`,
    };
  if (!OF_ADMINS.includes(section) || (await has('admin'))) return undefined;
  return {
    title: 'Admin role required.',
    text: `To change access tokens and the project, you need the role admin in ${namespace}.`,
  };
}
