/** The filters of both lists of jobs, that of the cluster and that of the history, as they are in a URL. */
import { filterProblems } from '#administration/jobs/history-filter.ts';
import { PHASES, SERVICES, SPEC_DEFAULTS, TERMINAL_PHASES } from '#crds/zip-job.ts';
import { bucketOf } from '#crds/zip-job-facts.ts';
import { readTime } from '#runtime/time/read-time.ts';
import { MAX_STARS, starsIn } from './search-text.ts';

/**
 * Where a list reads its jobs. The history knows only finished jobs, and filters only by the time at which they finished: there,
 * `within`, `from` and `to` mean that time too.
 */
export type JobsSource = 'cluster' | 'history';

const DAY_MS = 86_400_000;

export const PERIODS = [
  { value: '1h', text: 'Last hour', startMs: (nowMs: number) => nowMs - 3_600_000 },
  { value: 'today', text: 'Today', startMs: (nowMs: number) => nowMs - (nowMs % DAY_MS) },
  { value: '24h', text: 'Last 24 hours', startMs: (nowMs: number) => nowMs - DAY_MS },
  { value: '7d', text: 'Last 7 days', startMs: (nowMs: number) => nowMs - 7 * DAY_MS },
] as const;

/** Columns by which the list of the cluster can be sorted, ascending; descending with `-` before. Default: newest first. */
export const SORTS = ['created', 'key', 'duration', 'files', 'size'] as const;
export type SortColumn = (typeof SORTS)[number];

/** An empty text matches everything. */
export interface JobQuery {
  /** Part of an ID, name or key; with `*` a whole key. In the history: a whole ID, its start, or a whole key. */
  readonly text: string;
  /** Phases separated by commas, or `unfinished` for every state that is not final. */
  readonly state: string;
  /** Codes, as the list shows them, separated by commas. */
  readonly reason: string;
  /** Service and name at the provider, `s3/archive`. */
  readonly bucket: string;
  /** Name of the token that created the job. */
  readonly token: string;
  /** Created in one of `PERIODS`. */
  readonly within: string;
  /** Created at or after this minute, UTC, `2026-01-31T10:00`. */
  readonly from: string;
  /** Created before this minute. */
  readonly to: string;
  /** Finished in one of `PERIODS`. */
  readonly finishedWithin: string;
  /** Finished at or after this minute. */
  readonly finishedFrom: string;
  /** Finished before this minute. */
  readonly finishedTo: string;
  /** Names of jobs, or the starts of their IDs, separated by commas. */
  readonly ids: string;
  /** A column of `SORTS`, with `-` before it for the reverse. */
  readonly sort: string;
  /** From 1. */
  readonly page: number;
  /** Where a page of the history starts; `''` for the newest jobs. */
  readonly after: string;
}

export type JobFilterName = Exclude<keyof JobQuery, 'page' | 'sort' | 'after'>;
/** By parameter. */
export type JobQueryErrors = Readonly<Record<string, string>>;

/** Names in a URL, in the order of the form. */
const PARAMETERS: Readonly<Record<JobFilterName, string>> = {
  text: 'q',
  state: 'state',
  reason: 'reason',
  bucket: 'bucket',
  token: 'token',
  within: 'within',
  from: 'from',
  to: 'to',
  finishedWithin: 'finished-within',
  finishedFrom: 'finished-from',
  finishedTo: 'finished-to',
  ids: 'id',
};
const NAMES = [
  'text',
  'state',
  'reason',
  'bucket',
  'token',
  'within',
  'from',
  'to',
  'finishedWithin',
  'finishedFrom',
  'finishedTo',
  'ids',
] as const;

/** Each created filter and what it means in the history. */
const CREATED = { within: 'finishedWithin', from: 'finishedFrom', to: 'finishedTo' } as const;

const MAX_TEXT = 1_024;
const MAX_IDS = 100;
const MAX_PAGE = 100_000;

const NO_FILTERS: JobQuery = {
  text: '',
  state: '',
  reason: '',
  bucket: '',
  token: '',
  within: '',
  from: '',
  to: '',
  finishedWithin: '',
  finishedFrom: '',
  finishedTo: '',
  ids: '',
  sort: '',
  page: 1,
  after: '',
};

/** Start of a period, in milliseconds; undefined for any other text. */
export function periodStartMs(value: string, now: Date): number | undefined {
  return PERIODS.find((period) => period.value === value)?.startMs(now.getTime());
}

function pageOf(text: string | null): number {
  return text !== null && /^[1-9]\d{0,5}$/.test(text) ? Math.min(Number(text), MAX_PAGE) : 1;
}

function sortOf(text: string | null): string {
  return SORTS.some((column) => text === column || text === `-${column}`) && text !== '-created'
    ? (text ?? '')
    : '';
}

const UTC_MINUTE = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}Z$/;

/** Milliseconds of a minute in UTC; undefined for any other text. */
export function minuteMs(text: string): number | undefined {
  return readTime(`${text}Z`, UTC_MINUTE)?.getTime();
}

/** `2026-01-31T10:00`, in UTC. */
export function minuteText(ms: number): string {
  return new Date(ms).toISOString().slice(0, 16);
}

/** A day as its first minute or, as the end of a range, that of the next day. Every other text stays as it is. */
function minuteOf(text: string, { isEnd }: { readonly isEnd: boolean }): string {
  const startMs = /^\d{4}-\d{2}-\d{2}$/.test(text) ? minuteMs(`${text}T00:00`) : undefined;
  return startMs === undefined ? text : minuteText(startMs + (isEnd ? DAY_MS : 0));
}

/** `s3/archive` of that text, of the name of a ZipBucket (`s3-archive`) or, in the history, of the name of an S3 bucket. */
function bucketTextOf(text: string, source: JobsSource): string {
  if (text === '' || SERVICES.some((service) => text.startsWith(`${service}/`))) return text;
  return source === 'history' ? `${SPEC_DEFAULTS.service}/${text}` : bucketText(text);
}

/** `s3/archive` of the name of a ZipBucket. */
export function bucketText(resourceName: string): string {
  const { service, name } = bucketOf({ spec: { bucketRef: { name: resourceName }, key: '' } });
  return `${service}/${name}`;
}

/** The values of a filter with several. */
export function valuesOf(text: string): readonly string[] {
  return text === '' ? [] : text.split(',');
}

type Texts = Readonly<Record<JobFilterName, string>>;

function rangeErrors(texts: Texts, [first, last]: readonly [JobFilterName, JobFilterName]): JobQueryErrors {
  const [start, end] = [minuteMs(texts[first]), minuteMs(texts[last])];
  const invalid = 'Enter a time such as 2026-01-31T10:00, or a day such as 2026-01-31.';
  return {
    ...(start !== undefined &&
      end !== undefined &&
      end <= start && { [PARAMETERS[last]]: 'The end is not after the start.' }),
    ...(texts[first] !== '' && start === undefined && { [PARAMETERS[first]]: invalid }),
    ...(texts[last] !== '' && end === undefined && { [PARAMETERS[last]]: invalid }),
  };
}

function periodErrors(texts: Texts): JobQueryErrors {
  const rule = `The period must be ${PERIODS.map(({ value }) => value).join(', ')}.`;
  return Object.fromEntries(
    (['within', 'finishedWithin'] as const)
      .filter((name) => texts[name] !== '' && periodStartMs(texts[name], new Date(0)) === undefined)
      .map((name) => [PARAMETERS[name], rule]),
  );
}

function stateError(state: string, source: JobsSource): string {
  const known: readonly string[] = source === 'history' ? TERMINAL_PHASES : ['unfinished', ...PHASES];
  return valuesOf(state).every((one) => known.includes(one))
    ? ''
    : `The state must be one or more of ${known.join(', ')}.`;
}

/** What the history refuses. The list of the cluster compares texts, and finds nothing. */
function historyErrors({ reason, token }: Texts): JobQueryErrors {
  const texts = { ...(reason !== '' && { reason }), ...(token !== '' && { token }) };
  return Object.fromEntries(
    filterProblems(texts).map(({ name, rule }): [string, string] => [name, `The ${name} ${rule}.`]),
  );
}

/** Such as the end of a copied link: it would match every job. */
function emptyErrors(texts: Texts): JobQueryErrors {
  const wrong = (['reason', 'ids'] as const).filter((name) => valuesOf(texts[name]).includes(''));
  return Object.fromEntries(
    wrong.map((name) => [PARAMETERS[name], 'A value between commas is empty. Remove the comma.']),
  );
}

function lengthErrors(texts: Texts): JobQueryErrors {
  const tooLong = NAMES.filter((name) => name !== 'ids' && texts[name].length > MAX_TEXT);
  return {
    ...Object.fromEntries(tooLong.map((name) => [PARAMETERS[name], `Enter at most ${MAX_TEXT} characters.`])),
    ...(valuesOf(texts.ids).length > MAX_IDS && { id: `Select at most ${MAX_IDS} jobs.` }),
    ...(starsIn(texts.text) > MAX_STARS && { q: `Use * at most ${MAX_STARS} times.` }),
  };
}

/** A filter that is ignored would list, export or cancel jobs that nobody asked for. So each invalid value is an error. */
function errorsOf(texts: Texts, source: JobsSource): JobQueryErrors {
  const state = stateError(texts.state, source);
  return {
    ...(state !== '' && { state }),
    ...periodErrors(texts),
    ...rangeErrors(texts, ['from', 'to']),
    ...rangeErrors(texts, ['finishedFrom', 'finishedTo']),
    ...(source === 'history' && historyErrors(texts)),
    ...emptyErrors(texts),
    ...lengthErrors(texts),
  };
}

/** A form sends `''` for "Any", and several values with several parameters. */
function givenTexts(params: URLSearchParams, name: string): readonly string[] {
  return params
    .getAll(name)
    .map((text) => text.trim())
    .filter((text) => text !== '');
}

function textsOf(params: URLSearchParams, source: JobsSource): Texts {
  function all(name: JobFilterName): string {
    return givenTexts(params, PARAMETERS[name]).join(',');
  }
  /** A typed value follows the chosen one. */
  function last(name: JobFilterName): string {
    return givenTexts(params, PARAMETERS[name]).at(-1) ?? '';
  }
  function time(name: keyof typeof CREATED | (typeof CREATED)[keyof typeof CREATED]): string {
    return minuteOf(last(name), { isEnd: name === 'to' || name === 'finishedTo' });
  }
  function finished(name: keyof typeof CREATED): string {
    const own = time(CREATED[name]);
    return own === '' && source === 'history' ? time(name) : own;
  }
  function created(name: keyof typeof CREATED): string {
    return source === 'history' ? '' : time(name);
  }
  return {
    text: last('text'),
    state: all('state'),
    reason: all('reason'),
    bucket: bucketTextOf(last('bucket'), source),
    token: last('token'),
    within: created('within'),
    from: created('from'),
    to: created('to'),
    finishedWithin: finished('within'),
    finishedFrom: finished('from'),
    finishedTo: finished('to'),
    ids: source === 'history' ? '' : all('ids'),
  };
}

/** Errors are by parameter; with an error, the query is not what the user meant. */
export function readJobQuery(
  params: URLSearchParams,
  source: JobsSource = 'cluster',
): {
  readonly query: JobQuery;
  readonly errors: JobQueryErrors;
} {
  const texts = textsOf(params, source);
  const place =
    source === 'history'
      ? { sort: '', page: 1, after: (params.get('after') ?? '').trim() }
      : { sort: sortOf(params.get('sort')), page: pageOf(params.get('page')), after: '' };
  return { query: { ...texts, ...place }, errors: errorsOf(texts, source) };
}

/** The active filters. */
export function activeFilters(query: JobQuery): readonly JobFilterName[] {
  return NAMES.filter((name) => query[name] !== '');
}

export function isNarrowed(query: JobQuery): boolean {
  return activeFilters(query).length > 0;
}

/** The query of a URL with its question mark; `''` for the first page without filters. */
export function writeJobQuery(query: Partial<JobQuery>): string {
  const full = { ...NO_FILTERS, ...query };
  const params = new URLSearchParams();
  for (const name of activeFilters(full)) params.set(PARAMETERS[name], full[name]);
  if (full.sort !== '') params.set('sort', full.sort);
  if (full.page > 1) params.set('page', String(full.page));
  if (full.after !== '') params.set('after', full.after);
  return params.size === 0 ? '' : `?${params.toString()}`;
}
