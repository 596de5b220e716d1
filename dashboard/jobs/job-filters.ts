import { PHASES } from '#crds/zip-job.ts';
import { PageError, type PageRequest } from '../http/page.ts';
import type { JobChoices } from '../live/job-choices.ts';
import type { FormState } from '../ui/form.ts';
import {
  activeFilters,
  type JobFilterName,
  type JobQuery,
  type JobQueryErrors,
  PERIODS,
  readJobQuery,
  writeJobQuery,
} from './job-query.ts';

interface Option {
  readonly value: string;
  readonly text: string;
}

function option(value: string, text: string = value): Option {
  return { value, text };
}

const STATE_OPTIONS = [
  option('', 'Any'),
  option('unfinished', 'In progress'),
  ...PHASES.map((phase) => option(phase)),
];
const PERIOD_OPTIONS = [option('', 'Any time'), ...PERIODS.map(({ value, text }) => option(value, text))];

/** The chosen value is always an option: without it the form would show "Any" for a filter that is active. */
function optionsOf(values: readonly string[], chosen: string): readonly Option[] {
  const missing = chosen === '' || values.includes(chosen) ? [] : [chosen];
  return [option('', 'Any'), ...[...missing, ...values].map((value) => option(value))];
}

/** What the form offers in a project. */
export function filterOptions(choices: Pick<JobChoices, 'of'>, namespace: string, query: JobQuery) {
  return {
    states: STATE_OPTIONS,
    periods: PERIOD_OPTIONS,
    reasons: optionsOf(choices.of(namespace, 'reason'), query.reason),
    buckets: optionsOf(choices.of(namespace, 'bucket'), query.bucket),
    tokens: optionsOf(choices.of(namespace, 'token'), query.token),
  };
}

export function filterForm(
  { text, state, reason, bucket, token, within, from, to, finishedFrom, finishedTo }: JobQuery,
  errors: JobQueryErrors,
): FormState {
  return {
    values: {
      q: text,
      state,
      reason,
      bucket,
      token,
      within,
      from,
      to,
      'finished-from': finishedFrom,
      'finished-to': finishedTo,
    },
    errors,
  };
}

function timeText(minute: string): string {
  return `${minute.replace('T', ' ')} UTC`;
}

function textOf(options: readonly Option[], chosen: string): string {
  return options.find(({ value }) => value === chosen)?.text ?? chosen;
}

const LABELS: Readonly<Record<JobFilterName, (value: string) => string>> = {
  text: (value) => `ID or key: ${value}`,
  state: (value) => `State: ${textOf(STATE_OPTIONS, value)}`,
  reason: (value) => `Reason: ${value}`,
  bucket: (value) => `Bucket: ${value}`,
  token: (value) => `Token: ${value}`,
  within: (value) => `Created: ${textOf(PERIOD_OPTIONS, value)}`,
  from: (value) => `Created from ${timeText(value)}`,
  to: (value) => `Created before ${timeText(value)}`,
  finishedFrom: (value) => `Finished from ${timeText(value)}`,
  finishedTo: (value) => `Finished before ${timeText(value)}`,
};

export interface Chip {
  readonly label: string;
  /** The first page without this filter. */
  readonly href: string;
}

/** The active filters of the page at `path`. */
export function filterChips(path: string, query: JobQuery): readonly Chip[] {
  return activeFilters(query).map((name) => ({
    label: LABELS[name](query[name]),
    href: path + writeJobQuery({ ...query, [name]: '', page: 1 }),
  }));
}

/** The filters of a request that cannot show an error beside its field. @throws PageError 422 */
export function validJobQuery(params: PageRequest['query']): JobQuery {
  const { query, errors } = readJobQuery(params);
  const [error] = Object.values(errors);
  if (error !== undefined) throw new PageError(422, 'Invalid filter', error);
  return query;
}
