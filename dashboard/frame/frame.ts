import type { ZipProject } from '#crds/zip-project.ts';
import type { Reflector } from '#runtime/kube/types.ts';
import type { Assets } from '../assets.ts';
import type { DashboardContext } from '../context.ts';
import type { Cookies } from '../cookies.ts';
import type { Flash, Section } from '../page.ts';
import type { User } from '../user/user.ts';
import { type VisibleProject, visibleProjects } from '../user/visible-projects.ts';
import { takeFlash } from './flash.ts';
import { type MenuItem, menuOf } from './menu.ts';
import { readTheme, type Theme } from './theme.ts';

/** Everything around a page, for the layout. */
export interface Frame {
  readonly title: string;
  readonly section: Section | undefined;
  readonly assets: Assets['paths'];
  readonly theme: Theme;
  readonly path: string;
  readonly requestId: string;
  readonly flash: Flash | undefined;
  /** Undefined when nobody is signed in. */
  readonly user: string | undefined;
  /** Without the prefix that all service accounts share. */
  readonly shortUser: string;
  /** For the field `csrf` of every form. */
  readonly csrf: string;
  readonly projects: readonly VisibleProject[];
  readonly project: VisibleProject | undefined;
  readonly menu: readonly MenuItem[];
  /** The page redirects to this path immediately. */
  readonly refreshTo: string | undefined;
}

export interface FrameOptions {
  readonly title: string;
  readonly section?: Section | undefined;
  readonly user?: User;
  readonly namespace?: string;
  readonly refreshTo?: string;
  /** A fragment does not consume the flash message. */
  readonly isFragment?: boolean;
}

export type MakeFrame = (ctx: DashboardContext, options: FrameOptions) => Promise<Frame>;

export interface FramesDeps {
  readonly assets: Assets['paths'];
  readonly cookies: Cookies;
  readonly projects: Pick<Reflector<ZipProject>, 'values'>;
  /** Whether finished jobs are kept in a database. */
  readonly hasHistory: boolean;
}

/** What the layout shows to a signed-in user: the project menu and the pages of the project. */
const aroundOf = async (
  { projects, hasHistory }: Pick<FramesDeps, 'projects' | 'hasHistory'>,
  { user, namespace }: FrameOptions,
): Promise<Pick<Frame, 'projects' | 'project' | 'menu'>> => {
  if (user === undefined) return { projects: [], project: undefined, menu: [] };
  const visible = await visibleProjects(projects, user, { isMenu: true });
  const project = visible.find((one) => one.namespace === namespace);
  return {
    projects: visible,
    project,
    menu: project === undefined ? [] : await menuOf(user, project, { hasHistory }),
  };
};

/** All names of service accounts start with a long prefix. */
const shortNameOf = (user: string): string => user.replace(/^system:serviceaccount:[^:]+:/, '');

export const createFrames =
  (deps: FramesDeps): MakeFrame =>
  async (ctx, options) => {
    const user = options.user?.name ?? ctx.state.session?.user;
    return {
      title: options.title,
      section: options.section,
      assets: deps.assets,
      theme: readTheme(ctx, deps.cookies),
      path: ctx.path,
      requestId: ctx.state.requestId,
      flash: options.isFragment === true ? undefined : takeFlash(ctx, deps.cookies),
      user,
      shortUser: shortNameOf(user ?? ''),
      csrf: ctx.state.session?.csrf ?? '',
      refreshTo: options.refreshTo,
      ...(await aroundOf(deps, options)),
    };
  };
