import type { IncomingMessage } from 'node:http';
import ipaddr from 'ipaddr.js';
import { ConfigError } from '../errors.ts';

type Range = ReturnType<typeof ipaddr.parseCIDR>;

export interface ForwardedRequest {
  /** Address of the client, as reported by trusted proxies. */
  readonly address: string;
  /** Protocol between the client and a trusted proxy. Undefined if no proxy reports it. */
  readonly protocol: string | undefined;
}

/** Reads `X-Forwarded-For` and `X-Forwarded-Proto`. They are ignored unless a trusted proxy sent them. */
export type ReadForwarded = (request: Pick<IncomingMessage, 'socket' | 'headers'>) => ForwardedRequest;

const parseRange = (text: string): Range => {
  const setting = `TRUSTED_PROXIES: ${JSON.stringify(text)}`;
  if (!ipaddr.isValidCIDR(text)) throw new ConfigError(`${setting} is not a CIDR such as 10.0.0.0/8`);
  const range = ipaddr.parseCIDR(text);
  if (range[1] === 0)
    throw new ConfigError(
      `${setting} contains every address, so clients could forge theirs. Use the ranges of your proxies`,
    );
  return range;
};

const contains = (ranges: readonly Range[], text: string): boolean => {
  if (!ipaddr.isValid(text)) return false;
  // process() converts a mapped IPv6 address to its IPv4 address.
  const address = ipaddr.process(text);
  return ranges.some((range) => address.kind() === range[0].kind() && address.match(range));
};

/** An IPv4 client of a socket that listens on all addresses has a mapped IPv6 address. */
const unmapped = (text: string): string => (ipaddr.isValid(text) ? ipaddr.process(text).toString() : text);

const listOf = (header: string | readonly string[] | undefined): string[] =>
  [header ?? []]
    .flat()
    .join(',')
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '');

/** @throws ConfigError if an entry of `trustedProxies` is not a CIDR */
export const createReadForwarded = (trustedProxies: readonly string[]): ReadForwarded => {
  const ranges = trustedProxies.map(parseRange);
  return ({ socket, headers }) => {
    const peer = unmapped(socket.remoteAddress ?? '');
    if (!contains(ranges, peer)) return { address: peer, protocol: undefined };
    // Each proxy appends the address of its peer, so the client is the last address that is not a trusted proxy.
    const hops = listOf(headers['x-forwarded-for']);
    const address = hops.findLast((hop) => !contains(ranges, hop)) ?? hops[0] ?? peer;
    const [protocol] = listOf(headers['x-forwarded-proto']);
    return { address, protocol: protocol?.toLowerCase() };
  };
};
