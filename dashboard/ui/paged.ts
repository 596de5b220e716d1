/** A page of this many rows is small enough for a slow connection. */
const ROWS_ON_A_PAGE = 50;

interface Paged<T> {
  readonly rows: readonly T[];
  /** For /ui/partials/pages. */
  readonly paging: {
    /** From 1. */
    readonly page: number;
    readonly pages: number;
    readonly href: (page: number) => string;
  };
}

/** The rows of the page in the query: the last one when it is past the end, and the first for an invalid number. Links keep the rest of the query. */
export function paged<T>(all: readonly T[], path: string, query: URLSearchParams): Paged<T> {
  const pages = Math.max(1, Math.ceil(all.length / ROWS_ON_A_PAGE));
  const asked = Number(query.get('page') ?? '1');
  const page = Number.isInteger(asked) ? Math.min(Math.max(asked, 1), pages) : 1;
  function href(to: number): string {
    const next = new URLSearchParams(query);
    next.set('page', String(to));
    return `${path}?${next.toString()}`;
  }
  return {
    rows: all.slice((page - 1) * ROWS_ON_A_PAGE, page * ROWS_ON_A_PAGE),
    paging: { page, pages, href },
  };
}
