import type { LookupAddress } from 'node:dns';
import { Resolver } from 'node:dns/promises';
import { AppError, errorCode } from '../errors.ts';

/** Resolves a name to all its addresses of a family; 0 for both. Need not end when the signal aborts. */
export type ResolveAll = (
  name: string,
  options: { readonly family: number; readonly signal: AbortSignal },
) => Promise<readonly LookupAddress[]>;

export interface DnsResolverOptions {
  /** `address` or `address:port`. Default: the servers in /etc/resolv.conf. */
  readonly servers?: readonly string[];
}

/** Time until a query without a response is sent again, doubled for each further one. The caller limits the whole lookup. */
const QUERY_TIMEOUT_MS = 1000;
/** Queries to each server, also after its failures: a name that always fails must not multiply the load of the server. */
const TRIES = 3;
/** How long the addresses of one family wait for the other: some servers never respond to queries for AAAA. */
const OTHER_FAMILY_MS = 500;
/** The name has no such record. */
const ABSENT: ReadonlySet<string> = new Set(['ENOTFOUND', 'ENODATA', 'EBADNAME']);

function failed(name: string, reasons: readonly unknown[]): AppError | undefined {
  const codes = reasons.map((reason) => errorCode(reason) ?? 'unknown');
  const code = codes.find((one) => !ABSENT.has(one));
  if (code === undefined) return undefined;
  // Not the code of the resolver: ECONNREFUSED, for example, would look like a closed port of the host.
  return new AppError(`Could not resolve ${name}: the name server failed (${code})`, {
    code: 'EAI_AGAIN',
    retryable: true,
  });
}

/**
 * Resolves absolute names with queries to the name servers. In contrast to getaddrinfo, which occupies one of libuv's four
 * threads until it ends, any number of names can be resolved at once, and an abort ends the lookup and closes its socket.
 * Ignores the hosts file and the search list.
 */
export function createDnsResolver({ servers }: DnsResolverOptions = {}): ResolveAll {
  return async (name, { family, signal }) => {
    // One for each lookup, because only all queries of a resolver can be cancelled.
    const resolver = new Resolver({ timeout: QUERY_TIMEOUT_MS, tries: TRIES });
    if (servers) resolver.setServers(servers);
    function cancel(): void {
      resolver.cancel();
    }
    signal.addEventListener('abort', cancel, { once: true });
    let timer: NodeJS.Timeout | undefined;
    async function query(one: 4 | 6): Promise<readonly LookupAddress[]> {
      const addresses = await (one === 4 ? resolver.resolve4(name) : resolver.resolve6(name));
      timer ??= setTimeout(cancel, OTHER_FAMILY_MS);
      return addresses.map((address) => ({ address, family: one }));
    }
    try {
      const families = ([4, 6] as const).filter((one) => family === 0 || family === one);
      const results = await Promise.allSettled(families.map(query));
      const addresses = results.flatMap((result) => (result.status === 'fulfilled' ? result.value : []));
      const error = failed(
        name,
        results.flatMap((result) => (result.status === 'rejected' ? [result.reason] : [])),
      );
      if (addresses.length === 0 && error) throw error;
      return addresses;
    } finally {
      clearTimeout(timer);
      signal.removeEventListener('abort', cancel);
    }
  };
}
