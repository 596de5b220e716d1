import type { IncomingMessage } from 'node:http';
import { isIP, isIPv6 } from 'node:net';
import { TLSSocket } from 'node:tls';
import ipaddr from 'ipaddr.js';
import { ConfigError } from '../errors.ts';

const QUOTED = /^"(.*)"$/;
const QUOTED_PAIR = /\\(.)/g;
const BRACKETED = /^\[([^\]]*)\]$/;
/** The node-port of RFC 7239: digits or an obfuscated identifier. */
const NODE_PORT = /:(?:\d{1,5}|_[\w.-]+)$/;

function withoutQuotes(text: string): string {
  return QUOTED.exec(text)?.[1]?.replaceAll(QUOTED_PAIR, '$1') ?? text;
}

function withoutPort(text: string): string {
  return text.replace(NODE_PORT, '');
}

/** Brackets belong to IPv6 addresses only. Without brackets, a port is read only if the whole text is not an address. */
function addressIn(node: string): string | undefined {
  if (isIP(node) !== 0) return node;
  const rest = withoutPort(node);
  const inner = BRACKETED.exec(rest)?.[1];
  if (inner !== undefined) return isIPv6(inner) ? inner : undefined;
  return isIP(rest) === 0 ? undefined : rest;
}

/** The address in its shortest form, without a zone. A mapped IPv6 address becomes its IPv4 address. */
function plainAddress(address: string): string {
  return ipaddr.process(address.split('%', 1).join('')).toString();
}

/**
 * The address in a node of RFC 7239 (section 6), as proxies write it into `X-Forwarded-For`: with or without quotes,
 * brackets and a port. Undefined for `unknown`, for an obfuscated identifier, and for text that is not an address.
 */
function readNode(text: string): string | undefined {
  const address = addressIn(withoutQuotes(text));
  return address === undefined ? undefined : plainAddress(address);
}

type Range = ReturnType<typeof ipaddr.parseCIDR>;

export interface ForwardedRequest {
  /** Address of the client, as reported by trusted proxies; `''` if the connection is closed. */
  readonly address: string;
  /** True if a trusted proxy reported a client without a readable address. `address` is then that of the proxy. */
  readonly isUnreadable: boolean;
  /**
   * Protocol between the client and a trusted proxy, or else `https` if the connection itself has TLS. Undefined for plain HTTP of
   * which no proxy reports anything: a proxy or a mesh that is not trusted may have ended TLS.
   */
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
    const own = socket instanceof TLSSocket ? 'https' : undefined;
    const peer = readNode(socket.remoteAddress ?? '');
    if (peer === undefined || !contains(ranges, peer))
      return { address: peer ?? '', protocol: own, isUnreadable: false };
    const [protocol] = listOf(headers['x-forwarded-proto']);
    return {
      ...clientBehind(peer, listOf(headers['x-forwarded-for'])),
      protocol: protocol?.toLowerCase() ?? own,
    };
  };
}
