import type { ZipProject } from '#crds/zip-project.ts';
import type { Reflector } from '#runtime/kube/types.ts';
import type { Clock } from '#runtime/time/clock.ts';
import type { DashboardContext } from '../http/context.ts';
import type { Cookies } from '../http/cookies.ts';
import type { Crumb, Flash, Section } from '../http/page.ts';
import type { HasStarted } from '../projects/has-started.ts';
import type { User } from '../user/user.ts';
import { type VisibleProject, visibleProjects } from '../user/visible-projects.ts';
import type { AssetPaths } from './assets.ts';
import { type Banner, bannerOf } from './banner.ts';
import { takeFlash } from './flash.ts';
import { FORMAT } from './format.ts';
import { type MenuItem, menuOf, sectionHref } from './menu.ts';
import { type Preferences, readPreferences } from './preferences.ts';
import { type Switcher, switcherOf } from './switcher.ts';

/** Everything around a page, for the layout. */
export interface Frame {
  /** Of the document: the page, then its project. */
  readonly title: string;
  /** Breadcrumbs; empty on pages that the menu links to. */
  readonly trail: readonly Crumb[];
  /** When the page was rendered, for relative times. */
  readonly now: Date;
  readonly section: Section | undefined;
  readonly assets: AssetPaths;
  readonly preferences: Preferences;
  /** Where a change of the preferences returns to: this page, or that of its section after a form, which a link cannot open again. */
  readonly next: string;
  readonly requestId: string;
  readonly flash: Flash | undefined;
  /** Undefined when nobody is signed in. */
  readonly user: string | undefined;
  /** Without the prefix that all service accounts share. */
  readonly shortUser: string;
  /** For the field `csrf` of every form. */
  readonly csrf: string;
  readonly switcher: Switcher;
  readonly project: VisibleProject | undefined;
  readonly menu: readonly MenuItem[];
  /** Which role the user lacks in this project. */
  readonly banner: Banner | undefined;
  /** The page redirects to this path immediately. */
  readonly refreshTo: string | undefined;
}

export interface FrameOptions {
  readonly title: string;
  readonly section?: Section | undefined;
  readonly trail?: readonly Crumb[] | undefined;
  readonly user?: User;
  readonly namespace?: string;
  readonly refreshTo?: string;
  /** A fragment does not consume the flash message. */
  readonly isFragment?: boolean;
}

export type MakeFrame = (ctx: DashboardContext, options: FrameOptions) => Promise<Frame>;

export interface FramesDeps {
  readonly assets: AssetPaths;
  readonly clock: Pick<Clock, 'date'>;
  readonly cookies: Cookies;
  readonly caches: { readonly zipProjects: Pick<Reflector<ZipProject>, 'values'> };
  readonly hasStarted: HasStarted;
  /** Whether finished jobs are kept in a database. */
  readonly hasHistory: boolean;
  /** Whether refused requests can be read from the API. */
  readonly hasApi: boolean;
}

const NOTHING_AROUND = {
  switcher: switcherOf([], undefined, undefined),
  project: undefined,
  menu: [],
  banner: undefined,
} as const;

/** What the layout shows to a signed-in user: the project menu, the pages of the project and what the user may not do. */
async function aroundOf(
  { caches: { zipProjects }, clock, hasStarted, hasHistory, hasApi }: FramesDeps,
  { user, namespace, section }: FrameOptions,
): Promise<Pick<Frame, 'switcher' | 'project' | 'menu' | 'banner'>> {
  if (user === undefined) return NOTHING_AROUND;
  const visible = await visibleProjects(zipProjects, user, { isMenu: true });
  const project = visible.find((one) => one.namespace === namespace);
  const switcher = switcherOf(visible, namespace, section);
  if (project === undefined) return { ...NOTHING_AROUND, switcher };
  // A project whose first jobs can have expired does not get its guide back: its overview links to it.
  const isNew = (await hasStarted(project.project, clock.date())) === false;
  const [menu, banner] = await Promise.all([
    menuOf(user, project, { hasHistory, hasApi, isNew }),
    bannerOf(user, project, section),
  ]);
  return { switcher, project, menu, banner };
}

/** All names of service accounts start with a long prefix. */
function shortNameOf(user: string): string {
  return user.replace(/^system:serviceaccount:[^:]+:/, '');
}

function titleOf(title: string, project: VisibleProject | undefined): string {
  return project === undefined || title === project.title ? title : `${title} · ${project.title}`;
}

function trailOf(trail: readonly Crumb[] = [], project: VisibleProject | undefined): readonly Crumb[] {
  return project === undefined || trail.length === 0
    ? trail
    : [{ label: project.title, href: FORMAT.path('projects', project.namespace) }, ...trail];
}

function placeAfter(project: VisibleProject | undefined, section: Section | undefined): string {
  return project === undefined ? '/' : sectionHref(project.namespace, section);
}

export function createFrames(deps: FramesDeps): MakeFrame {
  return async (ctx, options) => {
    const user = options.user?.name ?? ctx.state.session?.user;
    const around = await aroundOf(deps, options);
    return {
      title: titleOf(options.title, around.project),
      trail: trailOf(options.trail, around.project),
      now: deps.clock.date(),
      section: options.section,
      assets: deps.assets,
      preferences: readPreferences(ctx, deps.cookies),
      next: ctx.method === 'POST' ? placeAfter(around.project, options.section) : ctx.path + ctx.search,
      requestId: ctx.state.requestId,
      flash: options.isFragment === true ? undefined : takeFlash(ctx, deps.cookies),
      user,
      shortUser: shortNameOf(user ?? ''),
      csrf: ctx.state.session?.csrf ?? '',
      refreshTo: options.refreshTo,
      ...around,
    };
  };
}
