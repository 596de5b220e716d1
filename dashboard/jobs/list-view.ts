import { FORMAT } from '../ui/format.ts';
import type { SavedView } from './job-filters.ts';
import { type JobQuery, type SortColumn, writeJobQuery } from './job-query.ts';
import { commonTo, type JobRow } from './job-row.ts';

export interface ListPages {
  /** `26–50 of 67`; empty for a list of one page. */
  readonly range: string;
  /** Undefined where there is none. */
  readonly newerHref: string | undefined;
  readonly olderHref: string | undefined;
  /** The first page, from a page that does not know the one before it. */
  readonly newestHref: string | undefined;
}

/** A header of the table; sortable where it has a link. */
interface Header {
  readonly label: string;
  readonly href?: string;
  readonly sorted?: 'ascending' | 'descending';
}

type HeaderName = 'key' | 'state' | 'duration' | 'files' | 'size' | 'bucket' | 'token' | 'at';

export interface TableOptions {
  /** Of the time of each row. */
  readonly at: 'Created' | 'Finished';
  /** Boxes to select jobs. */
  readonly canPick: boolean;
  /** Absent where the source has one order. */
  readonly sort?: { readonly path: string; readonly query: JobQuery };
}

const SORT_OF: Readonly<Partial<Record<HeaderName, SortColumn>>> = {
  key: 'key',
  duration: 'duration',
  files: 'files',
  size: 'size',
  at: 'created',
};

/** A text is first sorted from A to Z; numbers and times from the largest. */
function header(label: string, name: HeaderName, sort: TableOptions['sort']): Header {
  const column = SORT_OF[name];
  if (sort === undefined || column === undefined) return { label };
  const current = sort.query.sort || '-created';
  const [first, second] = column === 'key' ? ['key', '-key'] : [`-${column}`, column];
  const isFirst = current === first;
  const next = isFirst ? second : first;
  const href = sort.path + writeJobQuery({ ...sort.query, sort: next === '-created' ? '' : next, page: 1 });
  if (!isFirst && current !== second) return { label, href };
  return { label, href, sorted: current.startsWith('-') ? 'descending' : 'ascending' };
}

/** The table of a list of jobs. */
export function tableOf(rows: readonly JobRow[], { at, canPick, sort }: TableOptions) {
  const common = commonTo(rows);
  const shows = { bucket: common.bucket === undefined, token: common.token === undefined };
  const same = [
    ...(common.bucket ? [`Bucket ${common.bucket}`] : []),
    ...(common.token ? [`Token ${common.token}`] : []),
  ];
  return {
    rows,
    canPick,
    shows,
    /** What all rows have in common, instead of columns. */
    same: rows.length === 0 ? '' : same.join(', '),
    headers: {
      key: header('Key', 'key', sort),
      state: { label: 'State' },
      duration: header('Duration', 'duration', sort),
      files: header('Files', 'files', sort),
      size: header('Size', 'size', sort),
      bucket: { label: 'Bucket' },
      token: { label: 'Token' },
      at: header(at, 'at', sort),
    } satisfies Record<HeaderName, Header>,
  };
}

/** `26–50 of 67`. */
export function rangeText(before: number, count: number, total?: number): string {
  if (count === 0) return '';
  const range = `${FORMAT.number(before + 1)}–${FORMAT.number(before + count)}`;
  return total === undefined ? range : `${range} of ${FORMAT.number(total)}`;
}

/** What surrounds the rows of both lists. */
export interface ListFrame {
  readonly views: readonly SavedView[];
  readonly pages: ListPages;
  readonly isNarrowed: boolean;
}
