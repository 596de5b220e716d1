import type { Section } from '../http/page.ts';
import type { VisibleProject } from '../user/visible-projects.ts';
import { sectionHref } from './menu.ts';

/** Every page contains the switcher, so it must stay small. The list of projects has all of them. */
const MOST_PROJECTS = 50;

/** The project menu of the header. */
export interface Switcher {
  readonly projects: readonly {
    readonly title: string;
    readonly namespace: string;
    /** The section that the user is in, of that project. */
    readonly href: string;
    readonly isCurrent: boolean;
  }[];
  /** Projects that are not in the menu. */
  readonly more: number;
}

export function switcherOf(
  visible: readonly VisibleProject[],
  current: string | undefined,
  section: Section | undefined,
): Switcher {
  return {
    projects: visible.slice(0, MOST_PROJECTS).map(({ title, namespace }) => ({
      title,
      namespace,
      href: sectionHref(namespace, section),
      isCurrent: namespace === current,
    })),
    more: Math.max(0, visible.length - MOST_PROJECTS),
  };
}
