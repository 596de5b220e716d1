import { filterProblems, type HistoryFilterTexts, toJobFilter } from '#administration/jobs/history-filter.ts';
import { SERVICES, TERMINAL_PHASES } from '#crds/zip-job.ts';
import { bucketOf, isUuid, uuidOfName } from '#crds/zip-job-facts.ts';
import type { JobFilter } from '#runtime/history/job-filter.ts';
import { type JobQuery, minuteMs, PERIODS } from '../jobs/job-query.ts';

export type FinalPhase = (typeof TERMINAL_PHASES)[number];

/** Filters of the history as they are in a URL; an empty text matches everything. */
export interface HistoryQuery {
  /** An ID, the name of a ZipJob with its ID, or a key; `*` in a key matches any text. */
  readonly q: string;
  readonly state: '' | FinalPhase;
  readonly reason: string;
  /** Name of the bucket at the provider; with the service before it if that is not S3: `r2/name`. */
  readonly bucket: string;
  /** Name of the token that created the job. */
  readonly token: string;
  /** Finished in this minute or later, UTC, `2026-01-31T10:00`; or on this day or later, `2026-01-31`. */
  readonly from: string;
  /** Finished before this minute; or on this day at the latest. */
  readonly to: string;
  /** Where the page starts, from the link of the page before; `''` for the newest jobs. */
  readonly after: string;
}

const MAX_TEXT = 1_024;
const DAY_MS = 86_400_000;
const INVALID_TIME = 'Enter a time such as 2026-01-31T10:00, or a day such as 2026-01-31.';
const FIELDS = ['q', 'state', 'reason', 'bucket', 'token', 'from', 'to', 'after'] as const;

export type HistoryErrors = Readonly<Partial<Record<(typeof FIELDS)[number], string>>>;

/** Start and end (excluded) of a day or minute in UTC, in milliseconds; undefined for any other text. */
function rangeOf(text: string): { readonly startMs: number; readonly endMs: number } | undefined {
  const isDay = /^\d{4}-\d{2}-\d{2}$/.test(text);
  const startMs = minuteMs(isDay ? `${text}T00:00` : text);
  if (startMs === undefined) return undefined;
  return { startMs, endMs: isDay ? startMs + DAY_MS : startMs };
}

/** `2026-01-31T10:00`, in UTC. */
export function minuteText(ms: number): string {
  return new Date(ms).toISOString().slice(0, 16);
}

/** The times as a form shows them: from this minute, and before that minute. */
export function timesOf({ from, to }: Pick<HistoryQuery, 'from' | 'to'>): Pick<HistoryQuery, 'from' | 'to'> {
  const [first, last] = [rangeOf(from), rangeOf(to)];
  return {
    from: first === undefined ? '' : minuteText(first.startMs),
    to: last === undefined ? '' : minuteText(last.endMs),
  };
}

function stateOf(text: string): FinalPhase | undefined {
  return TERMINAL_PHASES.find((phase) => phase === text);
}

type Texts = Readonly<Record<(typeof FIELDS)[number], string>>;

function timeErrors(texts: Texts): HistoryErrors {
  const errors: Partial<Record<'from' | 'to', string>> = {};
  for (const name of ['from', 'to'] as const)
    if (texts[name] !== '' && rangeOf(texts[name]) === undefined) errors[name] = INVALID_TIME;
  const [from, to] = [rangeOf(texts.from), rangeOf(texts.to)];
  if (from !== undefined && to !== undefined && to.endMs <= from.startMs)
    errors.to = 'The end is not after the start.';
  return errors;
}

/** A filter that is ignored would show, and export, jobs that nobody asked for. So each invalid value is an error. */
function errorsOf(texts: Texts): HistoryErrors {
  const errors: Partial<Record<(typeof FIELDS)[number], string>> = timeErrors(texts);
  for (const { name, rule } of filterProblems(filterTexts(texts)))
    if (name === 'reason' || name === 'token') errors[name] = `The ${name} ${rule}.`;
  if (texts.state !== '' && stateOf(texts.state) === undefined)
    errors.state = `The state must be one of ${TERMINAL_PHASES.join(', ')}.`;
  const tooLong = FIELDS.filter((name) => texts[name].length > MAX_TEXT);
  for (const name of tooLong) errors[name] = `Enter at most ${MAX_TEXT} characters.`;
  return errors;
}

export function readHistoryQuery(params: URLSearchParams): {
  readonly query: HistoryQuery;
  readonly errors: HistoryErrors;
} {
  function text(name: (typeof FIELDS)[number]): string {
    return (params.get(name) ?? '').trim();
  }
  const texts = {
    q: text('q'),
    state: text('state'),
    reason: text('reason'),
    bucket: text('bucket'),
    token: text('token'),
    from: text('from'),
    to: text('to'),
    after: text('after'),
  };
  return { query: { ...texts, state: stateOf(texts.state) ?? '' }, errors: errorsOf(texts) };
}

/** The query of a URL with its question mark; `''` without filters. */
export function writeHistoryQuery(query: Partial<HistoryQuery>): string {
  const params = new URLSearchParams();
  for (const name of FIELDS) {
    const value = query[name] ?? '';
    if (value !== '') params.set(name, value);
  }
  return params.size === 0 ? '' : `?${params.toString()}`;
}

/** Start of the jobs that a search of the list of jobs selects, in milliseconds. No job finishes before it is created. */
function startOf({ within, from, finishedFrom }: JobQuery, now: Date): number | undefined {
  const period = PERIODS.find(({ value }) => value === within);
  const starts = [
    period === undefined ? undefined : now.getTime() - period.ms,
    minuteMs(from),
    minuteMs(finishedFrom),
  ].filter((ms) => ms !== undefined);
  return starts.length === 0 ? undefined : Math.max(...starts);
}

/** The same search in the history as in the list of jobs, but for a latest creation time, which the history does not know. */
export function fromJobQuery(query: JobQuery, now: Date): Partial<HistoryQuery> {
  const { text, state, reason, bucket, token, finishedTo } = query;
  const isName = isUuid(text.toLowerCase()) || uuidOfName(text.toLowerCase()) !== undefined;
  const { service, name } = bucketOf({ spec: { bucketRef: { name: bucket }, key: '' } });
  const startMs = startOf(query, now);
  return {
    q: text === '' || isName ? text : `*${text}*`,
    state: stateOf(state) ?? '',
    reason,
    bucket: bucket === '' ? '' : `${service}/${name}`,
    token,
    from: startMs === undefined ? '' : minuteText(startMs),
    ...(finishedTo !== '' && { to: finishedTo }),
  };
}

export type HistoryFilterName = Exclude<(typeof FIELDS)[number], 'after'>;

/** The active filters. The start of the page is none. */
export function activeFilters(query: HistoryQuery): readonly HistoryFilterName[] {
  return FIELDS.filter((name): name is HistoryFilterName => name !== 'after' && query[name] !== '');
}

function idOrKey(q: string): Pick<JobFilter, 'id' | 'key'> {
  if (q === '') return {};
  const text = q.toLowerCase();
  const id = isUuid(text) ? text : uuidOfName(text);
  return id === undefined ? { key: q } : { id };
}

/** The service before the name of a bucket. */
function bucketTexts(text: string): Pick<HistoryFilterTexts, 'service' | 'bucket'> {
  const service = SERVICES.find((one) => text.startsWith(`${one}/`));
  return service === undefined ? { bucket: text } : { service, bucket: text.slice(service.length + 1) };
}

/** The filters by their general names; of an empty text, none. */
function filterTexts({ state, reason, bucket, token, from, to }: Texts): HistoryFilterTexts {
  const [first, last] = [rangeOf(from), rangeOf(to)];
  return {
    ...(state !== '' && { phase: state }),
    ...(reason !== '' && { reason }),
    ...(bucket !== '' && bucketTexts(bucket)),
    ...(token !== '' && { token }),
    ...(first !== undefined && { finishedAfter: new Date(first.startMs).toISOString() }),
    ...(last !== undefined && { finishedBefore: new Date(last.endMs).toISOString() }),
  };
}

/** What a query without errors selects in a project. */
export function historyFilter(projectUid: string, query: HistoryQuery): JobFilter {
  return { ...toJobFilter(projectUid, filterTexts(query)), ...idOrKey(query.q) };
}
