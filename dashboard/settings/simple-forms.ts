import { invalidInput } from '#administration/errors/administration-error.ts';
import type { ProjectSettings } from '#administration/projects/project-settings.ts';
import { CALLER_OPTIONS, type CallerOption } from '#crds/caller-options.ts';
import { defined } from '#runtime/collections/optional.ts';
import { CALLER_CHOICES } from './caller-choices.ts';
import { readText, readWhole, type SettingField } from './setting-field.ts';
import type { SettingsForm } from './settings-form.ts';

const DISPLAY_NAME: SettingField = {
  kind: 'text',
  name: 'displayName',
  label: 'Display name',
  maxlength: 128,
};

export const GENERAL_FORM: SettingsForm = {
  slug: 'general',
  title: 'Display name',
  part: 'displayName',
  lead: ({ namespace }) =>
    `Shown instead of ${namespace}, the namespace that identifies the project. Leave it empty to show the namespace.`,
  fields: () => [DISPLAY_NAME],
  values: ({ displayName }) => ({ displayName: displayName ?? '' }),
  read: (form) => ({ part: 'displayName', value: readText(form, DISPLAY_NAME) }),
};

function isOption(value: string): value is CallerOption {
  return CALLER_OPTIONS.some((option) => option === value);
}

export const CALLER_OPTIONS_FORM: SettingsForm = {
  slug: 'caller-options',
  title: 'Caller options',
  part: 'callerOptions',
  lead: () =>
    'A request that sets an option without a tick is refused with 422. The class of the project can close more options, which a project cannot open.',
  fields: () => [
    {
      kind: 'boxes',
      name: 'open',
      path: 'callerOptions.closed',
      label: 'Callers may change',
      choices: CALLER_CHOICES,
    },
  ],
  values: ({ closedOptions }) => ({
    open: CALLER_OPTIONS.filter((option) => !closedOptions.includes(option)).join(','),
  }),
  read: (form, { closedOptions, own: { callerOptions } }) => {
    const open = new Set(form.getAll('open'));
    // An older dashboard does not know every option of the definition.
    const kept = closedOptions.filter((option) => !isOption(option) || !open.has(option));
    const closed = [...new Set([...kept, ...CALLER_OPTIONS.filter((option) => !open.has(option))])];
    const value = defined({ ...callerOptions, closed: closed.length === 0 ? undefined : closed });
    return { part: 'callerOptions', value: Object.keys(value).length === 0 ? undefined : value };
  },
};

const RETENTION_DAYS: SettingField = {
  kind: 'text',
  name: 'historyRetentionDays',
  label: 'Days to keep finished jobs in the history',
  hint: 'From 1 to 3650. The retention of the installation also applies: the lower value wins.',
  maxlength: 4,
};
const CONFIRM: SettingField = {
  kind: 'check',
  name: 'confirm',
  label: "Delete older records from the history. This can't be undone.",
  hint: 'Required if you lower the retention.',
};

function isLower(days: number | undefined, { historyRetentionDays: before }: ProjectSettings): boolean {
  return days !== undefined && (before === null || days < before);
}

export const RETENTION_FORM: SettingsForm = {
  slug: 'retention',
  title: 'History retention',
  part: 'historyRetentionDays',
  lead: () =>
    'The history deletes finished jobs after this time, usually within an hour. Leave it empty to use the retention of the installation.',
  fields: () => [RETENTION_DAYS, CONFIRM],
  values: ({ historyRetentionDays }) => ({
    historyRetentionDays: historyRetentionDays === null ? '' : String(historyRetentionDays),
    confirm: '',
  }),
  read: (form, settings) => {
    const days = readWhole(form, RETENTION_DAYS);
    if (isLower(days, settings) && form.get('confirm') !== 'yes')
      throw invalidInput(
        'confirm',
        `Confirm that records older than ${days} ${days === 1 ? 'day' : 'days'} are deleted`,
      );
    return { part: 'historyRetentionDays', value: days };
  },
};
