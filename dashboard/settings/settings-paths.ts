import type { Crumb } from '../http/page.ts';
import { FORMAT } from '../ui/format.ts';
import { SECTION_LABELS } from '../ui/words.ts';

export const SETTINGS_PATH = '/projects/:project/settings';

/** Path of the settings of a project, or of a page below them. */
export function settingsHref(namespace: string, ...below: readonly string[]): string {
  return FORMAT.path('projects', namespace, 'settings', ...below);
}

/** Breadcrumbs of the pages below the settings. */
export function settingsTrail(namespace: string): readonly Crumb[] {
  return [{ label: SECTION_LABELS.settings, href: settingsHref(namespace) }];
}
