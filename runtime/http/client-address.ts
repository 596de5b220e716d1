import type { IncomingMessage } from 'node:http';
import ipaddr from 'ipaddr.js';
import { ConfigError } from '../errors.ts';
import { readNode } from './forwarded-node.ts';

type Range = ReturnType<typeof ipaddr.parseCIDR>;

export interface ForwardedRequest {
  /** Address of the client, as reported by trusted proxies; `''` if the connection is closed. */
  readonly address: string;
  /** True if a trusted proxy reported a client without a readable address. `address` is then that of the proxy. */
  readonly isUnreadable: boolean;
  /** Protocol between the client and a trusted proxy. Undefined if no proxy reports it. */
  readonly protocol: string | undefined;
}

/** Reads `X-Forwarded-For` and `X-Forwarded-Proto`. They are ignored unless a trusted proxy sent them. */
export type ReadForwarded = (request: Pick<IncomingMessage, 'socket' | 'headers'>) => ForwardedRequest;

function parseRange(text: string): Range {
  const setting = `TRUSTED_PROXIES: ${JSON.stringify(text)}`;
  if (!ipaddr.isValidCIDR(text)) throw new ConfigError(`${setting} is not a CIDR such as 10.0.0.0/8`);
  const range = ipaddr.parseCIDR(text);
  if (range[1] === 0)
    throw new ConfigError(
      `${setting} contains every address, so clients could forge theirs. Use the ranges of your proxies`,
    );
  return range;
}

function contains(ranges: readonly Range[], text: string): boolean {
  const address = ipaddr.parse(text);
  return ranges.some((range) => address.kind() === range[0].kind() && address.match(range));
}

function listOf(header: string | readonly string[] | undefined): string[] {
  return [header ?? []]
    .flat()
    .join(',')
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '');
}

/** @throws ConfigError if an entry of `trustedProxies` is not a CIDR */
export function createReadForwarded(trustedProxies: readonly string[]): ReadForwarded {
  const ranges = trustedProxies.map(parseRange);
  /** Each proxy appends the address of its peer, so the client is the last node that is not a trusted proxy. */
  function clientBehind(peer: string, nodes: readonly string[]): Omit<ForwardedRequest, 'protocol'> {
    let address = peer;
    for (const node of nodes.toReversed()) {
      const next = readNode(node);
      if (next === undefined) return { address, isUnreadable: true };
      address = next;
      if (!contains(ranges, next)) break;
    }
    return { address, isUnreadable: false };
  }
  return ({ socket, headers }) => {
    const peer = readNode(socket.remoteAddress ?? '');
    if (peer === undefined || !contains(ranges, peer))
      return { address: peer ?? '', protocol: undefined, isUnreadable: false };
    const [protocol] = listOf(headers['x-forwarded-proto']);
    return { ...clientBehind(peer, listOf(headers['x-forwarded-for'])), protocol: protocol?.toLowerCase() };
  };
}
