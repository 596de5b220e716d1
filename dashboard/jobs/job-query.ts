import { PHASES, type Phase } from '#crds/zip-job.ts';
import { readTime } from '#runtime/time/read-time.ts';

/** Filters by state: `unfinished` for every state that is not final. */
export type StateFilter = '' | 'unfinished' | Phase;

export const PERIODS = [
  { value: '1h', text: 'Last hour', ms: 3_600_000 },
  { value: '24h', text: 'Last 24 hours', ms: 86_400_000 },
  { value: '7d', text: 'Last 7 days', ms: 604_800_000 },
] as const;

/** Filters of the job list; an empty text matches everything. */
export interface JobQuery {
  /** Part of an ID, name or key. */
  readonly text: string;
  readonly state: StateFilter;
  /** Code, as the list shows it. */
  readonly reason: string;
  /** Name of a ZipBucket. */
  readonly bucket: string;
  /** Name of the token that created the job. */
  readonly token: string;
  readonly within: '' | (typeof PERIODS)[number]['value'];
  /** Created at or after this minute, UTC, `2026-01-31T10:00`. */
  readonly from: string;
  /** Created before this minute. */
  readonly to: string;
  /** Finished at or after this minute. */
  readonly finishedFrom: string;
  /** Finished before this minute. */
  readonly finishedTo: string;
  /** From 1. */
  readonly page: number;
}

export type JobFilterName = Exclude<keyof JobQuery, 'page'>;
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
  finishedFrom: 'finished-from',
  finishedTo: 'finished-to',
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
  'finishedFrom',
  'finishedTo',
] as const;

const MAX_TEXT = 1_024;
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
  finishedFrom: '',
  finishedTo: '',
  page: 1,
};

function periodOf(value: string) {
  return PERIODS.find((period) => period.value === value);
}

function isState(value: string): value is StateFilter {
  return value === '' || value === 'unfinished' || PHASES.some((phase) => phase === value);
}

function pageOf(text: string | null): number {
  return text !== null && /^[1-9]\d{0,5}$/.test(text) ? Math.min(Number(text), MAX_PAGE) : 1;
}

const UTC_MINUTE = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}Z$/;

/** Milliseconds of a minute in UTC; undefined for any other text. */
export function minuteMs(text: string): number | undefined {
  return readTime(`${text}Z`, UTC_MINUTE)?.getTime();
}

type Texts = Readonly<Record<JobFilterName, string>>;

function rangeErrors(texts: Texts, [first, last]: readonly [JobFilterName, JobFilterName]): JobQueryErrors {
  const [start, end] = [minuteMs(texts[first]), minuteMs(texts[last])];
  const invalid = 'Enter a time such as 2026-01-31T10:00.';
  return {
    ...(start !== undefined &&
      end !== undefined &&
      end <= start && { [PARAMETERS[last]]: 'The end is not after the start.' }),
    ...(texts[first] !== '' && start === undefined && { [PARAMETERS[first]]: invalid }),
    ...(texts[last] !== '' && end === undefined && { [PARAMETERS[last]]: invalid }),
  };
}

/** A filter that is ignored would list, export or cancel jobs that nobody asked for. So each invalid value is an error. */
function errorsOf(texts: Texts): JobQueryErrors {
  return {
    ...(!isState(texts.state) && { state: `The state must be unfinished, ${PHASES.join(', ')}.` }),
    ...(texts.within !== '' &&
      periodOf(texts.within) === undefined && {
        within: `The period must be ${PERIODS.map(({ value }) => value).join(', ')}.`,
      }),
    ...rangeErrors(texts, ['from', 'to']),
    ...rangeErrors(texts, ['finishedFrom', 'finishedTo']),
    ...Object.fromEntries(
      NAMES.filter((name) => texts[name].length > MAX_TEXT).map((name) => [
        PARAMETERS[name],
        `Enter at most ${MAX_TEXT} characters.`,
      ]),
    ),
  };
}

/** Errors are by parameter; with an error, the query is not what the user meant. */
export function readJobQuery(params: URLSearchParams): {
  readonly query: JobQuery;
  readonly errors: JobQueryErrors;
} {
  function textOf(name: JobFilterName): string {
    return (params.get(PARAMETERS[name]) ?? '').trim();
  }
  const texts: Texts = {
    text: textOf('text'),
    state: textOf('state'),
    reason: textOf('reason'),
    bucket: textOf('bucket'),
    token: textOf('token'),
    within: textOf('within'),
    from: textOf('from'),
    to: textOf('to'),
    finishedFrom: textOf('finishedFrom'),
    finishedTo: textOf('finishedTo'),
  };
  return {
    query: {
      ...texts,
      state: isState(texts.state) ? texts.state : '',
      within: periodOf(texts.within)?.value ?? '',
      page: pageOf(params.get('page')),
    },
    errors: errorsOf(texts),
  };
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
  if (full.page > 1) params.set('page', String(full.page));
  return params.size === 0 ? '' : `?${params.toString()}`;
}
