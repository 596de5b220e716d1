/** The line of filters above a list of jobs: each is a chip that shows its value and opens its choices. */
import { PHASES, TERMINAL_PHASES } from '#crds/zip-job.ts';
import { FINAL_REASONS } from '../history/final-reasons.ts';
import { PageError, type PageRequest } from '../http/page.ts';
import type { JobChoices } from '../live/job-choices.ts';
import type { KnownJobs } from '../live/known-jobs.ts';
import { ACTIVE_PHASES } from '../live/project-usage.ts';
import { FORMAT } from '../ui/format.ts';
import {
  activeFilters,
  bucketText,
  type JobFilterName,
  type JobQuery,
  type JobQueryErrors,
  type JobsSource,
  PERIODS,
  readJobQuery,
  valuesOf,
  writeJobQuery,
} from './job-query.ts';

interface Option {
  readonly value: string;
  readonly text: string;
}

function option(value: string, text: string = value): Option {
  return { value, text };
}

/** A field for the value of a filter that has no option. */
interface Field {
  readonly name: string;
  readonly label: string;
  readonly type: 'text' | 'datetime-local';
  readonly value: string;
}

export interface FilterChip {
  /** Parameter of its options. */
  readonly name: string;
  readonly label: string;
  /** What it filters by; empty while it does not. */
  readonly value: string;
  /** The first page without this filter. */
  readonly clearHref: string;
  readonly options: readonly Option[];
  /** The chosen option; `''` for any. */
  readonly chosen: string;
  readonly fields: readonly Field[];
}

/** The values that the jobs in the cluster have. */
type Choices = Pick<JobChoices, 'of'>;

/** The chosen value is always an option: without it the chip would offer "Any" for a filter that is active. */
function optionsOf(values: readonly Option[], chosen: string, any = 'Any'): readonly Option[] {
  const isMissing = chosen !== '' && !values.some(({ value }) => value === chosen);
  return [option('', any), ...(isMissing ? [option(chosen, chosen.replaceAll(',', ', '))] : []), ...values];
}

const STATES: Readonly<Record<JobsSource, readonly Option[]>> = {
  cluster: [option('unfinished', 'In progress'), ...PHASES.map((phase) => option(phase))],
  history: TERMINAL_PHASES.map((phase) => option(phase)),
};

function textOf(options: readonly Option[], chosen: string): string {
  return options.find(({ value }) => value === chosen)?.text ?? chosen;
}

function timeText(minute: string): string {
  return minute.replace('T', ' ');
}

function rangeText(from: string, to: string): string {
  if (from === '') return to === '' ? '' : `before ${timeText(to)}`;
  return to === '' ? `from ${timeText(from)}` : `${timeText(from)} – ${timeText(to)}`;
}

export interface FilterPlace {
  readonly namespace: string;
  /** Of the list. */
  readonly path: string;
  readonly source: JobsSource;
  readonly query: JobQuery;
  readonly choices: Choices;
}

function clearer({ path, query }: FilterPlace) {
  return (...names: readonly JobFilterName[]): string =>
    path +
    writeJobQuery({
      ...query,
      ...Object.fromEntries(names.map((name) => [name, ''])),
      page: 1,
      after: '',
    });
}

/** A chip whose options are single values. */
function choiceChip(
  place: FilterPlace,
  name: 'state' | 'reason' | 'bucket' | 'token',
  values: readonly Option[],
): FilterChip {
  const chosen = place.query[name];
  const label = { state: 'State', reason: 'Reason', bucket: 'Bucket', token: 'Token' }[name];
  const options = optionsOf(values, chosen);
  // Only the cluster knows every bucket and token of its jobs.
  const isOpen = place.source === 'history' && (name === 'bucket' || name === 'token');
  const example = name === 'bucket' ? 'Other bucket, such as r2/archive' : 'Other token';
  return {
    name,
    label,
    value: chosen === '' ? '' : textOf(options, chosen),
    clearHref: clearer(place)(name),
    options,
    chosen,
    fields: isOpen ? [{ name, label: example, type: 'text', value: '' }] : [],
  };
}

/** A chip with periods until now, and a range. */
function timeChip(place: FilterPlace, kind: 'created' | 'finished'): FilterChip {
  const { query } = place;
  const isCreated = kind === 'created';
  const label = isCreated ? 'Created' : 'Finished';
  const names = isCreated
    ? (['within', 'from', 'to'] as const)
    : (['finishedWithin', 'finishedFrom', 'finishedTo'] as const);
  const [within, from, to] = names.map((name) => query[name]) as [string, string, string];
  const prefix = isCreated ? '' : 'finished-';
  const options = optionsOf(
    PERIODS.map(({ value, text }) => option(value, text)),
    within,
    'Any time',
  );
  const parts = [within === '' ? '' : textOf(options, within), rangeText(from, to)];
  return {
    name: `${prefix}within`,
    label,
    value: parts.filter((part) => part !== '').join(', '),
    clearHref: clearer(place)(...names),
    options,
    chosen: within,
    fields: [
      { name: `${prefix}from`, label: `${label} from (UTC)`, type: 'datetime-local', value: from },
      { name: `${prefix}to`, label: `${label} before (UTC)`, type: 'datetime-local', value: to },
    ],
  };
}

function idsChip(place: FilterPlace): FilterChip {
  const { ids } = place.query;
  const value = FORMAT.count(valuesOf(ids).length, 'job');
  return {
    name: 'id',
    label: 'Selected',
    value,
    clearHref: clearer(place)('ids'),
    options: [option('', 'All jobs'), option(ids, value)],
    chosen: ids,
    fields: [],
  };
}

/** The chips of a list. A choice of the cluster is one that its jobs have. */
function chipsOf(place: FilterPlace): readonly FilterChip[] {
  const { source, namespace, query, choices } = place;
  const isCluster = source === 'cluster';
  const reasons = isCluster ? choices.of(namespace, 'reason') : FINAL_REASONS;
  const buckets = [...new Set(choices.of(namespace, 'bucket').map(bucketText))].toSorted();
  return [
    choiceChip(place, 'state', STATES[source]),
    choiceChip(
      place,
      'reason',
      reasons.map((code) => option(code)),
    ),
    choiceChip(
      place,
      'bucket',
      buckets.map((name) => option(name)),
    ),
    choiceChip(
      place,
      'token',
      choices.of(namespace, 'token').map((name) => option(name)),
    ),
    ...(isCluster ? [timeChip(place, 'created')] : []),
    timeChip(place, 'finished'),
    ...(query.ids === '' ? [] : [idsChip(place)]),
  ];
}

/** A tab above the table: a saved search. */
export interface SavedView {
  readonly label: string;
  readonly href: string;
  /** Undefined where a count would read every job. */
  readonly count: string | undefined;
  readonly isCurrent: boolean;
}

const VIEWS: Readonly<
  Record<JobsSource, readonly { readonly label: string; readonly query: Partial<JobQuery> }[]>
> = {
  cluster: [
    { label: 'All', query: {} },
    { label: 'Running', query: { state: ACTIVE_PHASES.join(',') } },
    { label: 'Waiting', query: { state: 'Queued' } },
    { label: 'Failed today', query: { state: 'Failed', finishedWithin: 'today' } },
  ],
  history: [
    { label: 'All', query: {} },
    { label: 'Succeeded', query: { state: 'Succeeded' } },
    { label: 'Cancelled', query: { state: 'Cancelled' } },
    { label: 'Failed', query: { state: 'Failed' } },
    { label: 'Failed today', query: { state: 'Failed', finishedWithin: 'today' } },
  ],
};

/** The saved searches of a list. `counts` are in their order. */
export function savedViews(
  path: string,
  { source, query }: Pick<FilterPlace, 'source' | 'query'>,
  counts: readonly number[] = [],
): readonly SavedView[] {
  const current = writeJobQuery({ ...query, page: 1, after: '', sort: '' });
  return VIEWS[source].map((view, index) => {
    const search = writeJobQuery(view.query);
    const count = counts[index];
    return {
      label: view.label,
      href: path + search,
      count: count === undefined ? undefined : FORMAT.number(count),
      isCurrent: search === current,
    };
  });
}

/** How many jobs of the cluster each saved search has, without reading them. */
export function countViews(
  { order, choices, ended }: Pick<KnownJobs, 'order' | 'choices' | 'ended'>,
  namespace: string,
  now: Date,
): readonly number[] {
  return [
    order.size(namespace),
    choices.count(namespace, 'phase', ACTIVE_PHASES),
    choices.count(namespace, 'phase', ['Queued']),
    ended.failed.countSince(namespace, `${now.toISOString().slice(0, 10)}T00:00:00Z`),
  ];
}

/** What the line of filters shows. */
export function filterLine(place: FilterPlace, errors: JobQueryErrors) {
  return {
    path: place.path,
    label: place.source === 'cluster' ? 'Jobs' : 'History',
    text: place.query.text,
    hint: place.source === 'cluster' ? 'Key or ID' : 'Whole key, key with * or ID',
    sort: place.query.sort,
    chips: chipsOf(place),
    isActive: activeFilters(place.query).length > 0,
    errors: Object.values(errors),
  };
}

/** The filters of a request that cannot show an error beside its field. @throws PageError 422 */
export function validJobQuery(params: PageRequest['query'], source: JobsSource = 'cluster'): JobQuery {
  const { query, errors } = readJobQuery(params, source);
  const [error] = Object.values(errors);
  if (error !== undefined) throw new PageError(422, 'Invalid filter', error);
  return query;
}
