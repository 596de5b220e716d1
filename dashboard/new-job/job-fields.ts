import type { NewJobOptions } from '#administration/jobs/new-jobs.ts';
import type { ProjectSettings } from '#administration/projects/project-settings.ts';
import { CALLER_OPTIONS } from '#crds/caller-options.ts';
import { isLooser } from '#runtime/zip-request/strictness.ts';
import { checkObjectOptions, JOB_OPTIONS } from '../settings/job-defaults-form.ts';
import { fieldOfOption, type JobOption, pathOfCallerOption } from '../settings/job-options.ts';
import { type OptionValues, readOptions, valueAt } from '../settings/option-values.ts';
import type { SettingField } from '../settings/setting-field.ts';

type Defaults = ProjectSettings['jobDefaults'];

const CALLER_PATHS: ReadonlySet<string> = new Set(CALLER_OPTIONS.map(pathOfCallerOption));

/** What a job can set for itself: what callers of the API can. */
export const NEW_JOB_OPTIONS = JOB_OPTIONS.filter(({ path }) => CALLER_PATHS.has(path));

const STRICT = ['onConflict', 'portableNames'] as const;

/** As for requests: a job can only be stricter than its project. */
export function isAllowed({ path }: JobOption, value: string, defaults: Defaults): boolean {
  const strict = STRICT.find((one) => one === path);
  return strict === undefined || !isLooser(strict, value, defaults[strict]);
}

/** The fields of the options, with what the project sets for each that is left empty. */
export function optionFields(defaults: Defaults): readonly SettingField[] {
  return NEW_JOB_OPTIONS.map((option) => {
    const choices = option.choices.filter(({ value }) => isAllowed(option, value, defaults));
    return fieldOfOption(
      { ...option, choices },
      { label: 'Project default', value: valueAt(defaults, option.path) },
    );
  });
}

/** The options that the form sets. @throws AdministrationError InvalidInput */
export function optionsIn(form: URLSearchParams): NewJobOptions {
  const { manifestFormat, ...others }: OptionValues = readOptions(form, NEW_JOB_OPTIONS, {});
  // The API server knows the values of each, and the administration checks what depends on the project.
  const options = (
    manifestFormat === undefined ? others : { ...others, manifest: manifestFormat }
  ) as NewJobOptions;
  checkObjectOptions(options);
  return options;
}
