import { SERVICES, SPEC_DEFAULTS, TERMINAL_PHASES } from '#crds/zip-job.ts';
import { bucketOf, isUuid, uuidOfName } from '#crds/zip-job-facts.ts';
import type { JobFilter } from '#runtime/history/job-filter.ts';
import { type JobQuery, PERIODS } from '../jobs/job-query.ts';

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
  /** First day of the end of the job, UTC, `2026-01-31`. */
  readonly from: string;
  /** Last day, included. */
  readonly to: string;
  /** Where the page starts, from the link of the page before; `''` for the newest jobs. */
  readonly after: string;
}

const MAX_TEXT = 1_024;
const DAY_MS = 86_400_000;
const INVALID_DAY = 'Enter a day such as 2026-01-31.';
const FIELDS = ['q', 'state', 'reason', 'bucket', 'token', 'from', 'to', 'after'] as const;

export type HistoryErrors = Readonly<Partial<Record<(typeof FIELDS)[number], string>>>;

/** Start of a day in UTC, in milliseconds; undefined for a text that is not a day. */
const dayMs = (text: string): number | undefined => {
  const ms = /^\d{4}-\d{2}-\d{2}$/.test(text) ? Date.parse(`${text}T00:00:00Z`) : Number.NaN;
  // Date.parse takes February 30 for a day of March.
  return !Number.isNaN(ms) && new Date(ms).toISOString().startsWith(text) ? ms : undefined;
};

const stateOf = (text: string): FinalPhase | undefined => TERMINAL_PHASES.find((phase) => phase === text);

/** A filter that is ignored would show, and export, jobs that nobody asked for. So each invalid value is an error. */
const errorsOf = (texts: Readonly<Record<(typeof FIELDS)[number], string>>): HistoryErrors => {
  const errors: Partial<Record<(typeof FIELDS)[number], string>> = {};
  if (texts.state !== '' && stateOf(texts.state) === undefined)
    errors.state = `The state must be one of ${TERMINAL_PHASES.join(', ')}.`;
  for (const name of ['from', 'to'] as const)
    if (texts[name] !== '' && dayMs(texts[name]) === undefined) errors[name] = INVALID_DAY;
  const [from = -Infinity, to = Infinity] = [dayMs(texts.from), dayMs(texts.to)];
  if (to < from) errors.to = 'The last day is before the first.';
  const tooLong = FIELDS.filter((name) => texts[name].length > MAX_TEXT);
  for (const name of tooLong) errors[name] = `Enter at most ${MAX_TEXT} characters.`;
  return errors;
};

/** Reads the query of a URL. */
export const readHistoryQuery = (
  params: URLSearchParams,
): { readonly query: HistoryQuery; readonly errors: HistoryErrors } => {
  const text = (name: (typeof FIELDS)[number]): string => (params.get(name) ?? '').trim();
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
};

/** The query of a URL with its question mark; `''` without filters. */
export const writeHistoryQuery = (query: Partial<HistoryQuery>): string => {
  const params = new URLSearchParams();
  for (const name of FIELDS) {
    const value = query[name] ?? '';
    if (value !== '') params.set(name, value);
  }
  return params.size === 0 ? '' : `?${params.toString()}`;
};

/** The same search in the history as in the list of jobs. */
export const fromJobQuery = (query: JobQuery, now: Date): Partial<HistoryQuery> => {
  const { text, state, bucket, within } = query;
  const isName = isUuid(text.toLowerCase()) || uuidOfName(text.toLowerCase()) !== undefined;
  const period = PERIODS.find(({ value }) => value === within);
  const { service, name } = bucketOf({ spec: { bucketRef: { name: bucket }, key: '' } });
  return {
    q: text === '' || isName ? text : `*${text}*`,
    state: stateOf(state) ?? '',
    bucket: bucket === '' ? '' : `${service}/${name}`,
    from: period === undefined ? '' : new Date(now.getTime() - period.ms).toISOString().slice(0, 10),
  };
};

/** Whether any job could be excluded; the start of the page does not count. */
export const isFiltered = (query: HistoryQuery): boolean =>
  FIELDS.some((name) => name !== 'after' && query[name] !== '');

const idOrKey = (q: string): Pick<JobFilter, 'id' | 'key'> => {
  if (q === '') return {};
  const text = q.toLowerCase();
  const id = isUuid(text) ? text : uuidOfName(text);
  return id === undefined ? { key: q } : { id };
};

const bucketFilter = (text: string): Pick<JobFilter, 'bucket'> => {
  if (text === '') return {};
  const service = SERVICES.find((one) => text.startsWith(`${one}/`));
  return service === undefined
    ? { bucket: { service: SPEC_DEFAULTS.service, bucketName: text } }
    : { bucket: { service, bucketName: text.slice(service.length + 1) } };
};

const timeFilter = ({ from, to }: HistoryQuery): Pick<JobFilter, 'finishedAfter' | 'finishedBefore'> => {
  const [first, last] = [dayMs(from), dayMs(to)];
  return {
    ...(first !== undefined && { finishedAfter: new Date(first) }),
    ...(last !== undefined && { finishedBefore: new Date(last + DAY_MS) }),
  };
};

/** What a query without errors selects in a project. */
export const historyFilter = (projectUid: string, query: HistoryQuery): JobFilter => ({
  projectUid,
  ...idOrKey(query.q),
  ...(query.state !== '' && { phases: [query.state] }),
  ...(query.reason !== '' && { reasons: [query.reason] }),
  ...bucketFilter(query.bucket),
  ...(query.token !== '' && { createdBy: query.token }),
  ...timeFilter(query),
});
