import { countText } from '#administration/jobs/count-text.ts';
import type { RefusedQuery, RefusedRequest } from '#administration/projects/refused-interface.ts';
import type { RefusedEntry } from '#runtime/refused-requests/refused-request.ts';
import type { Question } from '../user/access.ts';
import { matchesQuery } from './refused-query.ts';
import type { RefusedRequests } from './refused-reader.ts';

/** Permissions for the list: those of the jobs, whose requests succeeded. */
export const READ_REFUSED: readonly Question[] = [{ verb: 'list', resource: 'zipjobs' }];
/** Permission for the masks of tokens. */
export const READ_MASKS: Question = { verb: 'list', resource: 'ziptokens' };

export interface FoundRefused {
  /** Newest first. */
  readonly requests: readonly RefusedRequest[];
  /** What may be missing, as sentences. */
  readonly notes: readonly string[];
}

function notesOf({ sharing, startedAtMs, silent }: RefusedRequests): readonly string[] {
  const since = new Date(startedAtMs).toISOString().replace('T', ' ').slice(0, 19);
  return [
    ...(sharing === 'none'
      ? [`Without Redis, this list has only what the API refused since it started, at ${since} UTC.`]
      : []),
    ...(sharing === 'away'
      ? ['Redis does not respond, so requests that API processes refused before they ended are missing.']
      : []),
    ...(silent > 0
      ? [
          `${countText(silent, 'API process', 'API processes')} did not respond, so some requests may be missing.`,
        ]
      : []),
  ];
}

function timeOf(ms: number): string {
  return new Date(ms).toISOString();
}

function shown(
  { meanings }: RefusedRequests,
  { query, mayReadMasks }: { readonly query: RefusedQuery; readonly mayReadMasks: boolean },
) {
  return ({ firstAtMs, lastAtMs, token, param, ...entry }: RefusedEntry): RefusedRequest => {
    const { count, method, route, status, code, requestIds: ids } = entry;
    return {
      // The one that the user looks for comes first.
      requestIds: ids.includes(query.id) ? [query.id, ...ids.filter((id) => id !== query.id)] : ids,
      count,
      firstAt: timeOf(firstAtMs),
      lastAt: timeOf(lastAtMs),
      ...(mayReadMasks && { token }),
      method,
      route,
      status,
      code,
      meaning: meanings[code] ?? '',
      ...(param !== '' && { param }),
    };
  };
}

/** The requests that match the query. Without the permission for masks, a filter by token matches none. */
export function findRefused(
  known: RefusedRequests,
  options: { readonly query: RefusedQuery; readonly mayReadMasks: boolean },
): FoundRefused {
  const { query, mayReadMasks } = options;
  const matching = query.token === '' || mayReadMasks ? known.entries.filter(matchesQuery(query)) : [];
  return { requests: matching.map(shown(known, options)), notes: notesOf(known) };
}
