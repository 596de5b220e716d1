import type { LookupAddress } from 'node:dns';
import { lookup as resolveByName } from 'node:dns/promises';
import { AppError } from '../errors.ts';
import { createDnsResolver, type ResolveAll } from './dns-resolver.ts';
import type { EgressPolicy } from './egress-policy.ts';
import { EgressRefusedError } from './egress-refused-error.ts';
import { isLoopbackName, isNameAllowed, toLookupName } from './host-name.ts';

interface LookupOptions {
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
function resolveToLoopback(policy: EgressPolicy): ResolveAll {
  return (_name, { family }) => {
    const addresses = LOOPBACK.filter((one) => family === 0 || one.family === family);
    const allowed = addresses.filter(({ address }) => policy.judgeAddress(address) === 'allowed');
    return Promise.resolve(allowed.length > 0 ? allowed : addresses);
  };
}

/** The names that the operator exempted may need a hosts file or a search list, which only the system's resolver uses. */
function resolverOf(hostname: string, policy: EgressPolicy): ResolveAll {
  if (isLoopbackName(hostname)) return resolveToLoopback(policy);
  return policy.allowsName(hostname) ? resolveBySystem : resolveByDns;
}

async function withTimeout<T>(
  work: (signal: AbortSignal) => Promise<T>,
  timeoutMs: number,
  name: string,
): Promise<T> {
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
}

type Lookup = (hostname: string) => Promise<readonly LookupAddress[]>;

async function lookUp(
  name: string,
  hostname: string,
  { resolve = resolveBySystem, dnsTimeoutMs }: LookupOptions,
): Promise<readonly LookupAddress[]> {
  const responses = await withTimeout(
    (signal) => resolve(name, { family: 0, signal }),
    dnsTimeoutMs,
    hostname,
  );
  if (responses.length > 0) return responses;
  throw new AppError(`Could not resolve ${hostname}: it has no address`, {
    code: 'ENOTFOUND',
    retryable: true,
  });
}

/** Resolves names as the system does, without checks. */
export function createLookup(options: LookupOptions): Lookup {
  return (hostname) => lookUp(hostname, hostname, options);
}

/**
 * Resolves a name and checks all its addresses: one refused address refuses the name. It receives only names; the caller must
 * check IP literals before it connects.
 */
export function createGuardedLookup(policy: EgressPolicy, options: LookupOptions): Lookup {
  return async (hostname) => {
    if (!isNameAllowed(hostname, policy)) throw new EgressRefusedError(hostname, 'name');
    const name = toLookupName(hostname, policy);
    const resolve = options.resolve ?? resolverOf(hostname, policy);
    const responses = await lookUp(name, hostname, { ...options, resolve });
    for (const { address } of responses) {
      const verdict = policy.judgeAddress(address);
      if (verdict !== 'allowed') throw new EgressRefusedError(hostname, verdict.refused);
    }
    return responses;
  };
}
