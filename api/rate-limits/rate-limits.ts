import ipaddr from 'ipaddr.js';
import type { CountName, CountRequest } from '#runtime/redis/request-counts.ts';
import type { Principal } from '../tokens/authenticate.ts';

/** State of one limit. */
export interface Quota {
  readonly name: CountName;
  /** Requests per window. */
  readonly limit: number;
  readonly remaining: number;
  /** Seconds until the window ends, rounded up. */
  readonly resetSeconds: number;
  readonly isExceeded: boolean;
}

export interface RateLimits {
  /** Counts a request with a valid token. */
  take(principal: Pick<Principal, 'namespace' | 'tokenName' | 'project'>): Promise<readonly Quota[]>;
  /** Counts a request with an invalid token. */
  fail(address: string): Promise<readonly Quota[]>;
  /** Counts a sign-in attempt to the dashboard. */
  signIn(address: string): Promise<readonly Quota[]>;
}

export interface RateLimitsDeps {
  readonly count: CountRequest;
  /** 0 for no limit. */
  readonly requestsPerMinutePerToken: number;
  readonly requestsPerMinutePerProject: number;
  readonly authFailuresPerMinute: number;
  readonly dashboardSignInsPerMinute: number;
}

const IPV6_SITE_BYTES = 8;

/** A client with an IPv6 address usually controls its whole /64 network. */
const siteOf = (address: string): string => {
  if (!ipaddr.isValid(address)) return 'unknown';
  const parsed = ipaddr.process(address);
  if (parsed.kind() === 'ipv4') return parsed.toString();
  return Buffer.from(parsed.toByteArray().slice(0, IPV6_SITE_BYTES)).toString('hex');
};

/** A tenant may edit its own ZipProject, so it can lower the limit of the operator but not raise it. */
const projectLimit = (granted: number, asked: number | undefined): number => {
  if (asked === undefined) return granted;
  return granted === 0 ? asked : Math.min(granted, asked);
};

export const createRateLimits = (deps: RateLimitsDeps): RateLimits => {
  const one = async (name: CountName, subject: string, limit: number): Promise<readonly Quota[]> => {
    if (limit === 0) return [];
    const counted = await deps.count(name, subject);
    if (counted === undefined) return [];
    const { used, resetMs } = counted;
    const resetSeconds = Math.max(1, Math.ceil(resetMs / 1000));
    return [{ name, limit, remaining: Math.max(0, limit - used), resetSeconds, isExceeded: used > limit }];
  };

  return {
    take: async ({ namespace, tokenName, project }) => {
      const asked = project.spec.limits?.requestsPerMinute;
      const quotas = await Promise.all([
        one('token', `${namespace}/${tokenName}`, deps.requestsPerMinutePerToken),
        one('project', namespace, projectLimit(deps.requestsPerMinutePerProject, asked)),
      ]);
      return quotas.flat();
    },
    fail: (address) => one('failures', siteOf(address), deps.authFailuresPerMinute),
    signIn: (address) => one('signIns', siteOf(address), deps.dashboardSignInsPerMinute),
  };
};
