import type { ProjectSettings } from '#administration/projects/project-settings.ts';
import type { PageRequest, Route, ShownPage } from '../http/page.ts';
import type { PageDeps } from '../http/page-deps.ts';
import { SECTION_LABELS } from '../ui/words.ts';
import { reasonAgainst } from '../user/reason-against.ts';
import { readAccess } from './access-rows.ts';
import { jobDefaultFacts } from './job-defaults-form.ts';
import { limitRows } from './limits-form.ts';
import { SETTINGS_PATH, settingsHref } from './settings-paths.ts';
import { SETTINGS_RIGHTS } from './settings-rights.ts';

type Deps = Pick<PageDeps, 'history'>;

async function accessOf(request: PageRequest) {
  const reason = await reasonAgainst(request, SETTINGS_RIGHTS.access);
  return reason === '' ? { reason, ...(await readAccess(request)) } : { reason, rows: [], more: 0 };
}

const NOT_SET = 'Not set';

function factsOf(settings: ProjectSettings) {
  const { displayName, namespace, createdAt, closedOptions, historyRetentionDays: days } = settings;
  return {
    general: [
      { name: 'Display name', value: displayName ?? NOT_SET },
      { name: 'Namespace', value: namespace },
    ],
    createdAt,
    jobDefaults: jobDefaultFacts(settings),
    closedOptions,
    retention: days,
  };
}

async function show({ history }: Deps, request: PageRequest): Promise<ShownPage> {
  const { user, namespace } = request;
  const settings = await user.administration.projects().settings(namespace);
  const [change, remove, access] = await Promise.all([
    reasonAgainst(request, SETTINGS_RIGHTS.change),
    reasonAgainst(request, SETTINGS_RIGHTS.delete),
    accessOf(request),
  ]);
  function action(slug: string, label: string, reason = change) {
    return {
      name: slug,
      label,
      reason,
      href: settingsHref(namespace, slug),
    };
  }
  return {
    kind: 'page',
    view: '/settings/settings',
    title: SECTION_LABELS.settings,
    section: 'settings',
    data: {
      namespace,
      className: settings.class?.name ?? null,
      deletingSince: settings.deletingSince,
      ...factsOf(settings),
      limits: limitRows(settings),
      hasHistory: history !== undefined,
      purge: settings.historyPurge,
      access,
      edit: {
        general: action('general', 'Change display name'),
        limits: action('limits', 'Change limits'),
        jobDefaults: action('job-defaults', 'Change job defaults'),
        callerOptions: action('caller-options', 'Change caller options'),
        retention: action('retention', 'Change retention'),
        purge: { ...action('purge-history', 'Delete history…'), look: 'danger' },
        delete: { ...action('delete', 'Delete project…', remove), look: 'danger' },
      },
    },
  };
}

/** Every setting of a project except its webhook, and who has access. */
export function createSettingsPage(deps: Deps): readonly Route[] {
  return [{ method: 'GET', path: SETTINGS_PATH, handle: (request) => show(deps, request) }];
}
