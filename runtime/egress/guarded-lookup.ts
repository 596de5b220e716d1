import type { LookupAddress } from 'node:dns';
import { lookup as resolveByName } from 'node:dns/promises';
import type { LookupFunction } from 'node:net';
import { AppError, toError } from '../errors.ts';
import { createDnsResolver, type ResolveAll } from './dns-resolver.ts';
import type { EgressPolicy } from './egress-policy.ts';
import { EgressRefusedError } from './egress-refused-error.ts';
import { isLoopbackName, isNameAllowed, toLookupName } from './host-name.ts';

export interface GuardedLookupOptions {
  readonly dnsTimeoutMs: number;
  /** Another resolver, for tests. */
  readonly resolve?: ResolveAll;
}

const resolveByDns = createDnsResolver();
const resolveBySystem: ResolveAll = (name, { family }) => resolveByName(name, { all: true, family });

const LOOPBACK: readonly LookupAddress[] = [
  { address: '127.0.0.1', family: 4 },
  { address: '::1', family: 6 },
];

/** Names of the machine always mean loopback (RFC 6761), so no name server is asked. */
const resolveToLoopback =
  (policy: EgressPolicy): ResolveAll =>
  (_name, { family }) => {
    const addresses = LOOPBACK.filter((one) => family === 0 || one.family === family);
    const allowed = addresses.filter(({ address }) => policy.judgeAddress(address) === 'allowed');
    return Promise.resolve(allowed.length > 0 ? allowed : addresses);
  };

/** The names that the operator exempted may need a hosts file or a search list, which only the system's resolver uses. */
const resolverOf = (hostname: string, policy: EgressPolicy): ResolveAll => {
  if (isLoopbackName(hostname)) return resolveToLoopback(policy);
  return policy.allowsName(hostname) ? resolveBySystem : resolveByDns;
};

const withTimeout = async <T>(
  work: (signal: AbortSignal) => Promise<T>,
  timeoutMs: number,
  name: string,
): Promise<T> => {
  const late = Promise.withResolvers<never>();
  const ending = new AbortController();
  const timer = setTimeout(() => {
    late.reject(
      new AppError(`Could not resolve ${name}: no response within ${timeoutMs} ms`, {
        code: 'DnsTimeout',
        retryable: true,
      }),
    );
    ending.abort();
  }, timeoutMs);
  try {
    return await Promise.race([work(ending.signal), late.promise]);
  } finally {
    clearTimeout(timer);
  }
};

const FAMILIES: Readonly<Record<string, number>> = { IPv4: 4, IPv6: 6 };
const familyNumber = (family: number | string | undefined): number =>
  typeof family === 'string' ? (FAMILIES[family] ?? 0) : (family ?? 0);

/** Resolves a name and checks all its addresses. One refused address refuses the name. */
const resolveGuarded = async (
  policy: EgressPolicy,
  query: { readonly hostname: string; readonly family: number },
  options: GuardedLookupOptions,
): Promise<LookupAddress[]> => {
  const { hostname, family } = query;
  if (!isNameAllowed(hostname, policy)) throw new EgressRefusedError(hostname, 'name');
  const name = toLookupName(hostname, policy);
  const resolve = options.resolve ?? resolverOf(hostname, policy);
  const responses = await withTimeout(
    (signal) => resolve(name, { family, signal }),
    options.dnsTimeoutMs,
    hostname,
  );
  if (responses.length === 0)
    throw new AppError(`Could not resolve ${hostname}: it has no address`, {
      code: 'ENOTFOUND',
      retryable: true,
    });
  for (const { address } of responses) {
    const verdict = policy.judgeAddress(address);
    if (verdict !== 'allowed') throw new EgressRefusedError(hostname, verdict.refused);
  }
  return [...responses];
};

/** The `lookup` function of a socket. It receives only names; the caller must check IP literals before it connects. */
export const createGuardedLookup =
  (policy: EgressPolicy, options: GuardedLookupOptions): LookupFunction =>
  (hostname, lookupOptions, callback) => {
    const query = { hostname, family: familyNumber(lookupOptions.family) };
    const respond = async (): Promise<void> => {
      try {
        const addresses = await resolveGuarded(policy, query, options);
        const first = addresses[0];
        if (lookupOptions.all === true || !first) process.nextTick(callback, null, addresses);
        else process.nextTick(callback, null, first.address, first.family);
      } catch (error) {
        process.nextTick(callback, toError(error), []);
      }
    };
    void respond();
  };
