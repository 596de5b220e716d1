import type { ProjectSettings } from '#administration/projects/project-settings.ts';
import type { PageRequest, Route, ShownPage } from '../http/page.ts';
import type { PageDeps } from '../http/page-deps.ts';
import { SECTION_LABELS } from '../ui/words.ts';
import { reasonAgainst, refusalOf } from '../user/reason-against.ts';
import { readAccess } from './access-rows.ts';
import { CALLER_CHOICES } from './caller-choices.ts';
import { jobDefaultFacts } from './job-defaults-form.ts';
import { limitRows } from './limits-form.ts';
import { SETTINGS_PATH, settingsHref } from './settings-paths.ts';
import { SETTINGS_RIGHTS } from './settings-rights.ts';

type Deps = Pick<PageDeps, 'history' | 'jobs'>;

async function accessOf(request: PageRequest) {
  const reason = await reasonAgainst(request, SETTINGS_RIGHTS.access);
  return reason === '' ? { reason, ...(await readAccess(request)) } : { reason, rows: [], more: 0 };
}

const NOT_SET = 'Not set';

const SECTIONS = [
  { id: 'general', label: 'General' },
  { id: 'limits', label: 'Limits' },
  { id: 'job-defaults', label: 'Job defaults' },
  { id: 'caller-options', label: 'Caller options' },
  { id: 'retention', label: 'History retention' },
  { id: 'access', label: 'Who has access' },
  { id: 'danger', label: 'Danger zone' },
] as const;

/** Closed options that only a newer version knows are last. */
function callersOf({ closedOptions }: ProjectSettings) {
  const known = CALLER_CHOICES.map((choice) => ({
    ...choice,
    isOpen: !closedOptions.some((option) => option === choice.value),
  }));
  const others = closedOptions.filter((option) => !known.some(({ value }) => value === option));
  return [...known, ...others.map((option) => ({ text: option, note: '', isOpen: false }))];
}

function factsOf(settings: ProjectSettings) {
  const { displayName, namespace, createdAt, historyRetentionDays: days } = settings;
  return {
    general: [
      { name: 'Display name', value: displayName ?? NOT_SET },
      { name: 'Namespace', value: namespace },
      { name: 'Created', at: createdAt },
    ],
    jobDefaults: jobDefaultFacts(settings),
    callers: callersOf(settings),
    retention: days,
  };
}

/** Deliberately the jobs in the cluster only: those in the history do not count. */
function usageOf({ jobs }: Deps, namespace: string, canList: boolean) {
  return canList ? jobs.usage.of(namespace) : {};
}

async function show(deps: Deps, request: PageRequest): Promise<ShownPage> {
  const { user, namespace } = request;
  const settings = await user.administration.projects().settings(namespace);
  const [change, remove, list, access] = await Promise.all([
    reasonAgainst(request, SETTINGS_RIGHTS.change),
    reasonAgainst(request, SETTINGS_RIGHTS.delete),
    // Usage comes from a cache, which knows no permissions.
    refusalOf(request, SETTINGS_RIGHTS.usage),
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
      sections: SECTIONS,
      limits: limitRows(settings, usageOf(deps, namespace, list === '')),
      hasHistory: deps.history !== undefined,
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
