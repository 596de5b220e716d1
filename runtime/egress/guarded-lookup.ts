import type { LookupAddress } from 'node:dns';
import { lookup as resolveByName } from 'node:dns/promises';
import type { LookupFunction } from 'node:net';
import { AppError, toError } from '../errors.ts';
import type { EgressPolicy } from './egress-policy.ts';
import { EgressRefusedError } from './egress-refused-error.ts';
import { isNameAllowed, toLookupName } from './host-name.ts';

/** Resolves a name to all its addresses, like `lookup` of node:dns/promises. */
export type ResolveAll = (
  name: string,
  options: { readonly all: true; readonly family: number },
) => Promise<readonly LookupAddress[]>;

export interface GuardedLookupOptions {
  readonly dnsTimeoutMs: number;
  /** Another resolver, for tests. */
  readonly resolve?: ResolveAll;
}

const resolveBySystem: ResolveAll = (name, options) => resolveByName(name, options);

const withTimeout = async <T>(work: Promise<T>, timeoutMs: number, name: string): Promise<T> => {
  const late = Promise.withResolvers<never>();
  const timer = setTimeout(() => {
    late.reject(
      new AppError(`Could not resolve ${name}: no response within ${timeoutMs} ms`, {
        code: 'DnsTimeout',
        retryable: true,
      }),
    );
  }, timeoutMs);
  try {
    return await Promise.race([work, late.promise]);
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
  const responses = await withTimeout(
    (options.resolve ?? resolveBySystem)(name, { all: true, family }),
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
