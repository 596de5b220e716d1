import { clientNetwork } from '#runtime/http/client-network.ts';
import type { ProjectClasses } from '#runtime/project-limits/project-classes.ts';
import { type Quota, takeQuota } from '#runtime/redis/quota.ts';
import type { CountRequest } from '#runtime/redis/request-counts.ts';
import type { Principal } from '../tokens/authenticate.ts';

export type ApiLimit = 'token' | 'project' | 'failures';
export type ApiQuota = Quota<ApiLimit>;

export interface RateLimits {
  /** Counts a request with a valid token. */
  take(principal: Pick<Principal, 'namespace' | 'tokenName' | 'project'>): Promise<readonly ApiQuota[]>;
  /** Counts a request with an invalid token. */
  fail(address: string): Promise<readonly ApiQuota[]>;
}

export interface RateLimitsDeps {
  readonly count: CountRequest;
  readonly limitsOf: ProjectClasses['limitsOf'];
  /** 0 for no limit. */
  readonly requestsPerMinutePerToken: number;
  readonly authFailuresPerMinute: number;
  /** Number of processes that count separately. Each applies its share of every limit. */
  readonly counters: number;
}

/** At least one request, because 0 means no limit. */
const shareOf = (limit: number, counters: number): number =>
  limit === 0 ? 0 : Math.max(1, Math.floor(limit / counters));

export const createRateLimits = (deps: RateLimitsDeps): RateLimits => {
  const one = async (name: ApiLimit, subject: string, total: number): Promise<readonly ApiQuota[]> => {
    const limit = shareOf(total, deps.counters);
    const quota = await takeQuota(deps.count, { name, subject, limit });
    return quota === undefined ? [] : [quota];
  };

  return {
    take: async ({ namespace, tokenName, project }) => {
      const quotas = await Promise.all([
        one('token', `${namespace}/${tokenName}`, deps.requestsPerMinutePerToken),
        one('project', namespace, deps.limitsOf(namespace, project).requestsPerMinute),
      ]);
      return quotas.flat();
    },
    fail: (address) => one('failures', clientNetwork(address), deps.authFailuresPerMinute),
  };
};
