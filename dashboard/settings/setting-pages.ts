import { checkVersion } from '#administration/changes/change-spec.ts';
import { AdministrationError, hasCode } from '#administration/errors/administration-error.ts';
import type { ProjectSettings } from '#administration/projects/project-settings.ts';
import type { GoTo, PageRequest, Route, ShownPage } from '../http/page.ts';
import {
  conflictErrors,
  type FormState,
  formErrors,
  formStatus,
  isUnchanged,
  postedText,
  shownTexts,
  valuesAfterConflict,
} from '../ui/form.ts';
import { JOB_DEFAULTS_FORM } from './job-defaults-form.ts';
import { LIMITS_FORM } from './limits-form.ts';
import { fieldOf } from './setting-field.ts';
import type { SettingsForm } from './settings-form.ts';
import { SETTINGS_PATH, settingsHref, settingsTrail } from './settings-paths.ts';
import { SETTINGS_RIGHTS } from './settings-rights.ts';
import { CALLER_OPTIONS_FORM, GENERAL_FORM, RETENTION_FORM } from './simple-forms.ts';

const SETTINGS_FORMS = [
  GENERAL_FORM,
  LIMITS_FORM,
  JOB_DEFAULTS_FORM,
  CALLER_OPTIONS_FORM,
  RETENTION_FORM,
] as const satisfies readonly SettingsForm[];

function settingsOf({ user, namespace }: PageRequest): Promise<ProjectSettings> {
  return user.administration.projects().settings(namespace);
}

/** One form, and the settings that it was made from. */
interface Shown {
  readonly form: SettingsForm;
  readonly settings: ProjectSettings;
}

function show({ form, settings }: Shown, request: PageRequest, { values, errors }: FormState): ShownPage {
  return {
    kind: 'page',
    view: '/settings/setting-form',
    title: form.title,
    trail: settingsTrail(request.namespace),
    section: 'settings',
    data: {
      title: form.title,
      lead: form.lead(settings),
      fields: form.fields(settings),
      form: { values, errors },
      version: settings.versions[form.part],
      shown: shownTexts(
        form.fields(settings).map(({ name }) => name),
        form.values(settings),
      ),
      href: settingsHref(request.namespace, form.slug),
      back: settingsHref(request.namespace),
    },
    status: formStatus(errors),
  };
}

function postedValues({ form, settings }: Shown, request: PageRequest) {
  return Object.fromEntries(form.fields(settings).map(({ name }) => [name, postedText(request.form, name)]));
}

function changedFields({ form, settings }: Shown, request: PageRequest) {
  const shown = form.values(settings);
  return form.fields(settings).filter(({ name }) => !isUnchanged(request.form, name, shown[name]));
}

function errorsOf({ form, settings }: Shown, error: unknown): FormState['errors'] {
  if (!(error instanceof AdministrationError) || error.field === undefined) return formErrors(error);
  const fields = form.fields(settings);
  const name = fieldOf(fields, error.field);
  const label = fields.find((field) => field.name === name)?.label ?? error.field;
  // The API server does not repeat which field it means.
  const text = error.message.startsWith('should ') ? `${label} ${error.message}` : error.message;
  return { [name]: text };
}

async function save(form: SettingsForm, request: PageRequest): Promise<ShownPage | GoTo> {
  const { namespace, user } = request;
  const settings = await settingsOf(request);
  const shown = { form, settings };
  const values = postedValues(shown, request);
  const version = request.form.get('version') ?? '';
  try {
    checkVersion(settings.versions[form.part], version);
    if (changedFields(shown, request).length > 0)
      await user.administration.projects().changeSettings(namespace, {
        ...form.read(request.form, settings),
        version,
      });
  } catch (error) {
    if (!hasCode(error, 'Conflict')) return show(shown, request, { values, errors: errorsOf(shown, error) });
    const current = { form, settings: await settingsOf(request) };
    const changed = changedFields(current, request).filter(({ kind }) => kind !== 'check');
    const present = form.values(current.settings);
    return show(current, request, {
      values: valuesAfterConflict(request.form, values, present),
      errors: conflictErrors(error, changed, present),
    });
  }
  const text = `${form.title} saved`;
  return { kind: 'go', to: settingsHref(namespace), flash: { kind: 'done', text } };
}

function routesOf(form: SettingsForm): readonly Route[] {
  const path = `${SETTINGS_PATH}/${form.slug}`;
  const needs = SETTINGS_RIGHTS.change;
  return [
    {
      method: 'GET',
      path,
      needs,
      handle: async (request) => {
        const settings = await settingsOf(request);
        return show({ form, settings }, request, { values: form.values(settings), errors: {} });
      },
    },
    { method: 'POST', path, needs, handle: (request) => save(form, request) },
  ];
}

/** One page for each part of the settings, so that users who change different parts never disturb each other. */
export function createSettingPages(): readonly Route[] {
  return SETTINGS_FORMS.flatMap(routesOf);
}
