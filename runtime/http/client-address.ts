import type { IncomingMessage } from 'node:http';
import ipaddr from 'ipaddr.js';
import { ConfigError } from '../errors.ts';

type Range = ReturnType<typeof ipaddr.parseCIDR>;

export interface ForwardedRequest {
  /** Address of the client, as far as trusted proxies tell it. */
  readonly address: string;
  /** What a trusted proxy says the client spoke to it; undefined when none says. */
  readonly protocol: string | undefined;
}

/** Reads `X-Forwarded-For` and `X-Forwarded-Proto`, which count only when a trusted proxy sent them. */
export type ReadForwarded = (request: Pick<IncomingMessage, 'socket' | 'headers'>) => ForwardedRequest;

const parseRange = (text: string): Range => {
  try {
    return ipaddr.parseCIDR(text);
  } catch (error) {
    throw new ConfigError(`TRUSTED_PROXIES: ${JSON.stringify(text)} is not a CIDR such as 10.0.0.0/8`, error);
  }
};

const contains = (ranges: readonly Range[], text: string): boolean => {
  if (!ipaddr.isValid(text)) return false;
  // process() turns an IPv4 address inside IPv6 into the IPv4 address that it means.
  const address = ipaddr.process(text);
  return ranges.some((range) => address.kind() === range[0].kind() && address.match(range));
};

const listOf = (header: string | readonly string[] | undefined): string[] =>
  [header ?? []]
    .flat()
    .join(',')
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '');

/** @throws ConfigError when an entry of `trustedProxies` is no CIDR */
export const createReadForwarded = (trustedProxies: readonly string[]): ReadForwarded => {
  const ranges = trustedProxies.map(parseRange);
  return ({ socket, headers }) => {
    const peer = socket.remoteAddress ?? '';
    if (!contains(ranges, peer)) return { address: peer, protocol: undefined };
    // Each proxy appends the address that it saw: the client is the last one that is no proxy of ours.
    const hops = listOf(headers['x-forwarded-for']);
    const address = hops.findLast((hop) => !contains(ranges, hop)) ?? hops[0] ?? peer;
    const [protocol] = listOf(headers['x-forwarded-proto']);
    return { address, protocol: protocol?.toLowerCase() };
  };
};
