import { invalidInput } from '#administration/errors/administration-error.ts';
import type { ProjectSettings } from '#administration/projects/project-settings.ts';
import { findObjectFault } from '#runtime/zip-request/object-options.ts';
import { readJobDefaultsSchema } from './job-defaults-schema.ts';
import { fieldOfOption, type JobOption, jobOptions, valueText } from './job-options.ts';
import { fieldTexts, type OptionValues, readOptions, valueAt } from './option-values.ts';
import type { SettingsForm } from './settings-form.ts';

type JobDefaults = ProjectSettings['jobDefaults'];

/** Every option that a project can set for its jobs. */
export const JOB_OPTIONS = jobOptions(readJobDefaultsSchema());

/** An unset option has what the installation sets. */
function isSet(settings: Pick<ProjectSettings, 'jobDefaults'>): (option: JobOption) => boolean {
  return ({ path }) => valueAt(settings.jobDefaults, path) !== undefined;
}

/** The defaults that the project sets, for reading. */
export function jobDefaultFacts(
  settings: Pick<ProjectSettings, 'jobDefaults'>,
): readonly { readonly name: string; readonly value: string }[] {
  return JOB_OPTIONS.filter(isSet(settings)).map((option) => ({
    name: option.label,
    value: valueText(option, valueAt(settings.jobDefaults, option.path)),
  }));
}

/** @throws AdministrationError InvalidInput for object options that no store accepts */
export function checkObjectOptions({ objectOptions }: Pick<JobDefaults, 'objectOptions'>): void {
  const fault = findObjectFault(objectOptions ?? {});
  const label =
    JOB_OPTIONS.find(({ path }) => path === `objectOptions.${fault?.field}`)?.label ?? fault?.field;
  if (fault) throw invalidInput(fault.field, `${label} ${fault.problem}`);
}

function readJobDefaults(form: URLSearchParams, before: JobDefaults): JobDefaults | undefined {
  const read: JobDefaults = readOptions(form, JOB_OPTIONS, before as OptionValues);
  checkObjectOptions(read);
  return Object.keys(read).length === 0 ? undefined : read;
}

export const JOB_DEFAULTS_FORM: SettingsForm = {
  slug: 'job-defaults',
  title: 'Job defaults',
  part: 'jobDefaults',
  lead: () =>
    'Defaults for jobs that are created through the API. A request can set the options that are open to callers. Existing jobs do not change.',
  fields: () => JOB_OPTIONS.map((option) => fieldOfOption(option, { label: 'Default', value: undefined })),
  values: ({ jobDefaults }) => fieldTexts(JOB_OPTIONS, jobDefaults),
  read: (form, { jobDefaults }) => ({ part: 'jobDefaults', value: readJobDefaults(form, jobDefaults) }),
};
