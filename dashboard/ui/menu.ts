import type { Crumb, Section } from '../http/page.ts';
import type { Question } from '../user/access.ts';
import type { User } from '../user/user.ts';
import type { VisibleProject } from '../user/visible-projects.ts';
import { FORMAT } from './format.ts';
import { SECTION_LABELS } from './words.ts';

interface MenuEntry {
  readonly section: Section;
  /** Below the project's own path. */
  readonly path: readonly string[];
  /** Without this permission the item is disabled and shows the reason. */
  readonly needs: Question;
  /** Only with a history database. */
  readonly isOfHistory?: true;
  /** Only if the API is known to the dashboard. */
  readonly isOfApi?: true;
  /** Only in a new project, until a job has succeeded. Its path keeps working. */
  readonly isOfStart?: true;
}

/** The menu of a project, in order. To add a page, add its entry here, its section to page.ts and its label to words.ts. */
const ENTRIES: readonly MenuEntry[] = [
  { section: 'overview', path: [], needs: { verb: 'list', resource: 'zipjobs' } },
  { section: 'jobs', path: ['jobs'], needs: { verb: 'list', resource: 'zipjobs' } },
  {
    section: 'history',
    path: ['history'],
    needs: { verb: 'list', resource: 'zipjobs' },
    isOfHistory: true,
  },
  {
    section: 'buckets',
    path: ['buckets'],
    needs: { verb: 'list', resource: 'zipbuckets' },
  },
  {
    section: 'tokens',
    path: ['tokens'],
    needs: { verb: 'list', resource: 'ziptokens' },
  },
  {
    section: 'refused-requests',
    path: ['refused-requests'],
    needs: { verb: 'list', resource: 'zipjobs' },
    isOfApi: true,
  },
  {
    section: 'webhook',
    path: ['webhook'],
    needs: { verb: 'get', resource: 'zipprojects' },
  },
  { section: 'settings', path: ['settings'], needs: { verb: 'get', resource: 'zipprojects' } },
  {
    section: 'first-steps',
    path: ['first-steps'],
    needs: { verb: 'get', resource: 'zipprojects' },
    isOfStart: true,
  },
];

const PATHS: ReadonlyMap<Section | undefined, readonly string[]> = new Map(
  ENTRIES.map(({ section, path }) => [section, path]),
);

/** The page of a project that is in this section; its overview for any other. */
export function sectionHref(namespace: string, section: Section | undefined): string {
  return FORMAT.path('projects', namespace, ...(PATHS.get(section) ?? []));
}

/** The breadcrumb of a section, for the pages below it. */
export function sectionCrumb(namespace: string, section: Section): Crumb {
  return {
    label: SECTION_LABELS[section],
    href: sectionHref(namespace, section),
  };
}

/** The section of a path below `/projects/NAMESPACE`; undefined for a page that the menu does not link to. */
export function sectionAt(segment: string): Section | undefined {
  return ENTRIES.find(({ path }) => (path[0] ?? '') === segment)?.section;
}

export interface MenuItem {
  readonly section: Section;
  readonly label: string;
  readonly href: string;
  /** Why it is disabled; empty when it is not. */
  readonly reason: string;
}

interface MenuOptions {
  readonly hasHistory: boolean;
  readonly hasApi: boolean;
  readonly isNew: boolean;
}

export async function menuOf(
  user: Pick<User, 'seemsToBeAllowed'>,
  { namespace }: VisibleProject,
  { hasHistory, hasApi, isNew }: MenuOptions,
): Promise<readonly MenuItem[]> {
  return Promise.all(
    ENTRIES.filter(
      ({ isOfHistory, isOfApi, isOfStart }) =>
        (isOfHistory !== true || hasHistory) && (isOfApi !== true || hasApi) && (isOfStart !== true || isNew),
    ).map(async ({ section, needs }) => {
      const { reason } = await user.seemsToBeAllowed(namespace, needs);
      return {
        section,
        label: SECTION_LABELS[section],
        href: sectionHref(namespace, section),
        reason,
      };
    }),
  );
}
