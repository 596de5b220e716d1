import type { RefusedRequests } from '#dashboard/refused/refused-reader.ts';
import type { RefusedEntry } from '#runtime/refused-requests/refused-request.ts';

const AT_MS = Date.parse('2026-01-02T03:04:05Z');

export function aRefusedEntry(change: Partial<RefusedEntry> = {}): RefusedEntry {
  return {
    replica: 'one',
    requestIds: ['request-1'],
    firstAtMs: AT_MS,
    lastAtMs: AT_MS,
    count: 1,
    token: 'zj_A...wxyz',
    method: 'POST',
    route: '/v1/zips',
    status: 422,
    code: 'parameter_invalid',
    param: 'urls[3].url',
    ...change,
  };
}

/** What API processes report, which share it in Redis. */
export function refusedRequests(
  entries: readonly RefusedEntry[],
  change: Partial<RefusedRequests> = {},
): RefusedRequests {
  return {
    entries,
    sharing: 'redis',
    startedAtMs: AT_MS,
    silent: 0,
    meanings: { parameter_invalid: 'A field has an invalid value.' },
    helpUrl: 'https://zips.example.com/docs',
    ...change,
  };
}

/** As the pages that are full: three pages of requests of many tokens. */
export async function readRefused(): Promise<RefusedRequests> {
  const codes = ['parameter_invalid', 'resource_not_found', 'rate_limit_exceeded'];
  const ids = Array.from({ length: 10 }, (_, n) => `6f1c1f0e-0000-4000-8000-00000000000${n}`);
  return refusedRequests(
    Array.from({ length: 120 }, (_, n) =>
      aRefusedEntry({
        token: `zj_A...${1_000 + n}`,
        code: codes[n % 3] ?? '',
        requestIds: ids,
        count: n + 10,
      }),
    ),
    { sharing: 'none' },
  );
}
