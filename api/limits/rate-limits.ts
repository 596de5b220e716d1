import { clientNetwork } from '#runtime/http/client-network.ts';
import { type Quota, takeQuota } from '#runtime/redis/quota.ts';
import type { CountRequest } from '#runtime/redis/request-counts.ts';
import { createGuessLimits } from './guess-limits.ts';
import {
  type Caller,
  createSecondLimits,
  type SecondLimits,
  type SecondLimitsDeps,
} from './second-limits.ts';

export type ApiLimit = 'token' | 'project' | 'failures';
export type ApiQuota = Quota<ApiLimit>;

export interface RateLimits extends SecondLimits {
  /** Counts a request with a valid token; for its project too, unless it exceeds the limit of the token. */
  take(caller: Caller): Promise<readonly ApiQuota[]>;
  /** Counts a request with an invalid token. */
  fail(address: string): Promise<readonly ApiQuota[]>;
  /** Counts an invalid token with the mask of a real one. */
  guess(address: string, mask: string): void;
  /** The quota of these, without counting. */
  guesses(address: string, mask: string): readonly ApiQuota[];
}

export interface RateLimitsDeps extends SecondLimitsDeps {
  readonly count: CountRequest;
  /** 0 for no limit. */
  readonly requestsPerMinutePerToken: number;
  readonly authFailuresPerMinute: number;
  /** Number of processes that count separately. Each applies its share of every limit per minute. */
  readonly counters: number;
}

/** At least one request, because 0 means no limit. */
function shareOf(limit: number, counters: number): number {
  return limit === 0 ? 0 : Math.max(1, Math.floor(limit / counters));
}

export function createRateLimits(deps: RateLimitsDeps): RateLimits {
  function limitOf(total: number): number {
    return shareOf(total, deps.counters);
  }
  async function one(name: ApiLimit, subject: string, limit: number): Promise<readonly ApiQuota[]> {
    const quota = await takeQuota(deps.count, { name, subject, limit });
    return quota === undefined ? [] : [quota];
  }
  function ofCaller({ namespace, tokenName, project }: Caller) {
    return {
      token: { subject: `${namespace}/${tokenName}`, limit: limitOf(deps.requestsPerMinutePerToken) },
      project: { subject: namespace, limit: limitOf(deps.limitsOf(namespace, project).requestsPerMinute) },
    };
  }

  return {
    ...createSecondLimits(deps, ofCaller),
    take: async (caller) => {
      const { token, project } = ofCaller(caller);
      const ofToken = await one('token', token.subject, token.limit);
      // Otherwise one token whose requests are refused would use up the limit for the others.
      if (ofToken.some(({ isExceeded }) => isExceeded)) return ofToken;
      return [...ofToken, ...(await one('project', project.subject, project.limit))];
    },
    ...createGuessLimits(deps.clock, limitOf(deps.authFailuresPerMinute)),
    fail: (address) => one('failures', clientNetwork(address), limitOf(deps.authFailuresPerMinute)),
  };
}
