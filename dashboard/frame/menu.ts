import { FORMAT } from '../format.ts';
import type { Section } from '../page.ts';
import type { Question } from '../user/access.ts';
import type { User } from '../user/user.ts';
import type { VisibleProject } from '../user/visible-projects.ts';

interface MenuEntry {
  readonly section: Section;
  readonly label: string;
  /** Below the project's own path. */
  readonly path: readonly string[];
  /** Without this permission the item is disabled and shows the reason. */
  readonly needs: Question;
  /** Only with a history database. */
  readonly isOfHistory?: true;
}

/** The menu of a project, in order. To add a page, add its entry here and its section to page.ts. */
const ENTRIES: readonly MenuEntry[] = [
  { section: 'overview', label: 'Overview', path: [], needs: { verb: 'list', resource: 'zipjobs' } },
  { section: 'jobs', label: 'Jobs', path: ['jobs'], needs: { verb: 'list', resource: 'zipjobs' } },
  {
    section: 'history',
    label: 'History',
    path: ['history'],
    needs: { verb: 'list', resource: 'zipjobs' },
    isOfHistory: true,
  },
  {
    section: 'buckets',
    label: 'Buckets',
    path: ['buckets'],
    needs: { verb: 'list', resource: 'zipbuckets' },
  },
  {
    section: 'tokens',
    label: 'Access tokens',
    path: ['tokens'],
    needs: { verb: 'list', resource: 'ziptokens' },
  },
  {
    section: 'webhook',
    label: 'Webhook',
    path: ['webhook'],
    needs: { verb: 'get', resource: 'zipprojects' },
  },
  {
    section: 'first-steps',
    label: 'First steps',
    path: ['first-steps'],
    needs: { verb: 'get', resource: 'zipprojects' },
  },
];

export interface MenuItem {
  readonly section: Section;
  readonly label: string;
  readonly href: string;
  /** Why it is disabled; empty when it is not. */
  readonly reason: string;
}

export const menuOf = async (
  user: Pick<User, 'seemsToBeAllowed'>,
  { namespace }: VisibleProject,
  { hasHistory }: { readonly hasHistory: boolean },
): Promise<readonly MenuItem[]> =>
  Promise.all(
    ENTRIES.filter(({ isOfHistory }) => isOfHistory !== true || hasHistory).map(
      async ({ section, label, path, needs }) => {
        const { reason } = await user.seemsToBeAllowed(namespace, needs);
        return { section, label, href: FORMAT.path('projects', namespace, ...path), reason };
      },
    ),
  );
