import { takeQuota } from '#runtime/redis/quota.ts';
import type { CountRequest } from '#runtime/redis/request-counts.ts';
import type { DashboardContext } from '../context.ts';
import { PageError } from '../page.ts';
import type { Session } from './sessions.ts';

/** Counts a request of a session, whether a user or an open page sent it. @throws PageError 429 above the limit */
export type LimitRequests = (ctx: DashboardContext, session: Pick<Session, 'id'>) => Promise<void>;

export function createSessionLimit(deps: {
  readonly count: CountRequest;
  /** 0 for no limit. */
  readonly dashboardRequestsPerMinute: number;
  readonly onExceeded: () => void;
}): LimitRequests {
  return async (ctx, { id }) => {
    const limit = deps.dashboardRequestsPerMinute;
    const quota = await takeQuota(deps.count, { name: 'session', subject: id, limit });
    if (quota?.isExceeded !== true) return;
    deps.onExceeded();
    ctx.set('Retry-After', String(quota.resetSeconds));
    throw new PageError(
      429,
      'Too many requests',
      `This session sent more than ${limit} requests in a minute. Close some pages, and try again in ${quota.resetSeconds} seconds.`,
    );
  };
}
