import type { CountName, CountRequest } from './request-counts.ts';

/** State of one limit. */
export interface Quota<N extends CountName = CountName> {
  readonly name: N;
  /** Requests per window. */
  readonly limit: number;
  readonly remaining: number;
  /** Seconds until the window ends, rounded up. */
  readonly resetSeconds: number;
  readonly isExceeded: boolean;
}

/** Counts a request of the subject. Undefined without a limit (0), or while nothing can be counted. */
export async function takeQuota<N extends CountName>(
  count: CountRequest,
  { name, subject, limit }: { readonly name: N; readonly subject: string; readonly limit: number },
): Promise<Quota<N> | undefined> {
  const counted = limit === 0 ? undefined : await count(name, subject);
  if (counted === undefined) return undefined;
  const { used, resetMs } = counted;
  const resetSeconds = Math.max(1, Math.ceil(resetMs / 1000));
  return { name, limit, remaining: Math.max(0, limit - used), resetSeconds, isExceeded: used > limit };
}
