import { clientNetwork } from '#runtime/http/client-network.ts';
import { type Quota, takeQuota } from '#runtime/redis/quota.ts';
import type { CountRequest } from '#runtime/redis/request-counts.ts';

/** Counts a sign-in attempt from this address; undefined without a limit. */
export type TakeSignIn = (address: string) => Promise<Quota | undefined>;

export function createTakeSignIn(deps: {
  readonly count: CountRequest;
  /** 0 for no limit. */
  readonly dashboardSignInsPerMinute: number;
}): TakeSignIn {
  return (address) =>
    takeQuota(deps.count, {
      name: 'signIns',
      subject: clientNetwork(address),
      limit: deps.dashboardSignInsPerMinute,
    });
}
