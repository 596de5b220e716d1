import { PHASES, type Phase } from '#crds/zip-job.ts';

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
  /** Name of a ZipBucket. */
  readonly bucket: string;
  readonly within: '' | (typeof PERIODS)[number]['value'];
  /** From 1. */
  readonly page: number;
}

const MAX_TEXT = 1_024;
const MAX_PAGE = 100_000;

const isState = (value: string): value is StateFilter =>
  value === '' || value === 'unfinished' || PHASES.some((phase) => phase === value);

const pageOf = (text: string | null): number =>
  text !== null && /^[1-9]\d{0,5}$/.test(text) ? Math.min(Number(text), MAX_PAGE) : 1;

/** Reads the query of a URL; ignores unknown values. */
export const readJobQuery = (params: URLSearchParams): JobQuery => {
  const state = params.get('state') ?? '';
  const within = params.get('within') ?? '';
  return {
    text: (params.get('q') ?? '').trim().slice(0, MAX_TEXT),
    state: isState(state) ? state : '',
    bucket: (params.get('bucket') ?? '').trim().slice(0, MAX_TEXT),
    within: PERIODS.find(({ value }) => value === within)?.value ?? '',
    page: pageOf(params.get('page')),
  };
};

export const isNarrowed = ({ text, state, bucket, within }: JobQuery): boolean =>
  text !== '' || state !== '' || bucket !== '' || within !== '';

/** The query of a URL with its question mark; `''` for the first page without filters. */
export const writeJobQuery = ({ text, state, bucket, within, page }: JobQuery): string => {
  const params = new URLSearchParams(
    Object.entries({ q: text, state, bucket, within, page: page === 1 ? '' : String(page) }).filter(
      ([, value]) => value !== '',
    ),
  );
  return params.size === 0 ? '' : `?${params.toString()}`;
};
