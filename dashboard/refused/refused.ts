import { type RefusedQuery, refusedParams } from '#administration/projects/refused-interface.ts';
import { projectUidOf } from '../history/project-uid.ts';
import type { PageRequest, Route } from '../http/page.ts';
import { FORMAT } from '../ui/format.ts';
import { paged } from '../ui/paged.ts';
import { findRefused, READ_MASKS, READ_REFUSED } from './find-refused.ts';
import { readRefusedQuery } from './refused-query.ts';
import { isRefusedUnavailable, type ReadRefused, type RefusedRequests } from './refused-reader.ts';

const LABELS: Readonly<Record<keyof RefusedQuery, string>> = {
  id: 'Request ID',
  token: 'Token',
  code: 'Code',
};

function pathOf({ namespace }: Pick<PageRequest, 'namespace'>): string {
  return FORMAT.path('projects', namespace, 'refused-requests');
}

function hrefOf(path: string, query: RefusedQuery): string {
  const text = refusedParams(query).toString();
  return text === '' ? path : `${path}?${text}`;
}

function filtersOf(path: string, query: RefusedQuery) {
  const names = ['id', 'token', 'code'] as const;
  const chips = names.flatMap((name) =>
    query[name] === ''
      ? []
      : [{ label: `${LABELS[name]}: ${query[name]}`, href: hrefOf(path, { ...query, [name]: '' }) }],
  );
  return { chips, clearHref: path };
}

function codeOptions({ entries }: RefusedRequests) {
  const codes = [...new Set(entries.map(({ code }) => code))].toSorted();
  return [{ value: '', text: 'Any' }, ...codes.map((value) => ({ value, text: value }))];
}

/** Only the page of an absolute URL can be opened from here. */
function helpHref({ helpUrl }: RefusedRequests, code: string): string | undefined {
  const isAbsolute = ['https:', 'http:'].includes(URL.parse(helpUrl)?.protocol ?? '');
  return isAbsolute ? `${helpUrl}#${encodeURIComponent(code)}` : undefined;
}

async function readUnlessAway(read: ReadRefused, request: PageRequest): Promise<RefusedRequests | undefined> {
  const projectUid = await projectUidOf(request);
  try {
    return await read(projectUid, request.signal);
  } catch (error) {
    if (isRefusedUnavailable(error)) return undefined;
    throw error;
  }
}

async function dataOf(read: ReadRefused, request: PageRequest) {
  const { namespace, user } = request;
  const [known, masks] = await Promise.all([readUnlessAway(read, request), user.may(namespace, READ_MASKS)]);
  if (known === undefined) return { isAway: true };
  const path = pathOf(request);
  const query = readRefusedQuery(request.query);
  const { requests, notes } = findRefused(known, { query, mayReadMasks: masks.allowed });
  const shown = refusedParams(query);
  const page = request.query.get('page');
  if (page !== null) shown.set('page', page);
  const { rows, paging } = paged(requests, path, shown);
  const codes = [...new Set(rows.map(({ code }) => code))].toSorted();
  return {
    isAway: false,
    path,
    rows,
    paging,
    notes,
    total: requests.length,
    isEmpty: known.entries.length === 0,
    masks: masks.reason,
    filterForm: { values: { ...query }, errors: {} },
    codes: codeOptions(known),
    filters: filtersOf(path, query),
    meanings: codes.map((code) => ({
      code,
      text: known.meanings[code] ?? '',
      href: helpHref(known, code),
    })),
  };
}

/** The requests of a project that the API refused, for those who help its callers. */
export function createRefusedPage(read: ReadRefused): readonly Route[] {
  return [
    {
      method: 'GET',
      path: '/projects/:project/refused-requests',
      needs: READ_REFUSED,
      handle: async (request) => {
        const query = readRefusedQuery(request.query);
        // Otherwise the address of the page, and its links, would contain the whole token.
        if (query.token !== (request.query.get('token') ?? '').trim())
          return { kind: 'go', to: hrefOf(pathOf(request), query) };
        const data = await dataOf(read, request);
        return {
          kind: 'page',
          view: '/refused/refused',
          title: 'Refused requests',
          section: 'refused-requests',
          data,
          ...(data.isAway && { status: 503 }),
        };
      },
    },
  ];
}
