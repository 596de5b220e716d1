import { CALLER_OPTIONS, type CallerOption } from '#crds/caller-options.ts';
import { JOB_OPTIONS } from './job-defaults-form.ts';
import { pathOfCallerOption } from './job-options.ts';
import type { Choice } from './setting-field.ts';

function choiceOf(option: CallerOption): Choice {
  const path = pathOfCallerOption(option);
  const known = JOB_OPTIONS.find((one) => one.path === path);
  const values = (known?.choices ?? []).map(({ value }) => value.toLowerCase()).join(', ');
  return {
    value: option,
    text: known?.label ?? option,
    note: values === '' ? option : `${option}: ${values}`,
  };
}

/** The options of a request in words, each with its name and values in the API. */
export const CALLER_CHOICES = CALLER_OPTIONS.map(choiceOf);
