import type { RefusedQuery } from '#administration/projects/refused-interface.ts';
import { isToken, maskToken } from '#crds/api-token.ts';
import type { RefusedEntry } from '#runtime/refused-requests/refused-request.ts';

/** The longest request ID. */
const MAX_LENGTH = 64;

function textOf(query: URLSearchParams, name: keyof RefusedQuery): string {
  return (query.get(name) ?? '').trim().slice(0, MAX_LENGTH);
}

/** A whole token is replaced by its mask at once, so that no page repeats it. */
export function readRefusedQuery(query: URLSearchParams): RefusedQuery {
  const token = textOf(query, 'token');
  return {
    id: textOf(query, 'id'),
    token: isToken(token) ? maskToken(token) : token,
    code: textOf(query, 'code'),
  };
}

export function matchesQuery({ id, token, code }: RefusedQuery) {
  return (entry: RefusedEntry): boolean =>
    (id === '' || entry.requestIds.includes(id)) &&
    (token === '' || entry.token.includes(token)) &&
    (code === '' || entry.code === code);
}
