import type { Clock } from '#runtime/clock.ts';
import { clientNetwork } from '#runtime/http/client-network.ts';
import type { ProjectClasses } from '#runtime/project-limits/project-classes.ts';
import { type Quota, takeQuota } from '#runtime/redis/quota.ts';
import type { CountRequest } from '#runtime/redis/request-counts.ts';
import type { Principal } from '../tokens/authenticate.ts';
import { createRequestPace, MAX_DELAY_MS } from './request-pace.ts';

export type ApiLimit = 'token' | 'project' | 'failures';
export type ApiQuota = Quota<ApiLimit>;

type Caller = Pick<Principal, 'namespace' | 'tokenName' | 'project'>;

export interface RateLimits {
  /** Counts a request with a valid token. */
  take(caller: Caller): Promise<readonly ApiQuota[]>;
  /** How long an accepted request waits, in milliseconds, because its token or project sends too many per second; Infinity if it is refused. */
  delayMs(caller: Caller): number;
  /** How long reading waits after these bytes of a body, in milliseconds, because the project sends too many per second. */
  bodyDelayMs(project: string, bytes: number): number;
  /** Counts a request with an invalid token. */
  fail(address: string): Promise<readonly ApiQuota[]>;
}

export interface RateLimitsDeps {
  readonly count: CountRequest;
  readonly limitsOf: ProjectClasses['limitsOf'];
  /** 0 for no limit. */
  readonly requestsPerMinutePerToken: number;
  readonly authFailuresPerMinute: number;
  /** Requests per second of a token or project that are never delayed. */
  readonly undelayedRequestsPerSecond: number;
  /** Bytes of bodies per second of a project that are read without delay. */
  readonly undelayedBodyBytesPerSecond: number;
  /** Number of processes that count separately. Each applies its share of every limit. */
  readonly counters: number;
  readonly clock: Pick<Clock, 'monotonicMs'>;
}

/** At least one request, because 0 means no limit. */
const shareOf = (limit: number, counters: number): number =>
  limit === 0 ? 0 : Math.max(1, Math.floor(limit / counters));

const SECONDS_PER_MINUTE = 60;

export const createRateLimits = (deps: RateLimitsDeps): RateLimits => {
  const delayRequest = createRequestPace(deps.clock);
  const delayBytes = createRequestPace(deps.clock);

  const limitOf = (total: number): number => shareOf(total, deps.counters);
  const one = async (name: ApiLimit, subject: string, limit: number): Promise<readonly ApiQuota[]> => {
    const quota = await takeQuota(deps.count, { name, subject, limit });
    return quota === undefined ? [] : [quota];
  };
  const ofCaller = ({ namespace, tokenName, project }: Caller) => ({
    token: { subject: `${namespace}/${tokenName}`, limit: limitOf(deps.requestsPerMinutePerToken) },
    project: { subject: namespace, limit: limitOf(deps.limitsOf(namespace, project).requestsPerMinute) },
  });
  const delayOf = ({ subject, limit }: { readonly subject: string; readonly limit: number }): number =>
    limit === 0
      ? 0
      : delayRequest(subject, Math.max(deps.undelayedRequestsPerSecond, limit / SECONDS_PER_MINUTE));

  return {
    take: async (caller) => {
      const { token, project } = ofCaller(caller);
      const quotas = await Promise.all([
        one('token', token.subject, token.limit),
        one('project', project.subject, project.limit),
      ]);
      return quotas.flat();
    },
    delayMs: (caller) => {
      const { token, project } = ofCaller(caller);
      return Math.max(delayOf(token), delayOf(project));
    },
    bodyDelayMs: (project, bytes) =>
      Math.min(MAX_DELAY_MS, delayBytes(project, deps.undelayedBodyBytesPerSecond / bytes)),
    fail: (address) => one('failures', clientNetwork(address), limitOf(deps.authFailuresPerMinute)),
  };
};
