import { isIP, isIPv6 } from 'node:net';
import ipaddr from 'ipaddr.js';

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
export function readNode(text: string): string | undefined {
  const address = addressIn(withoutQuotes(text));
  return address === undefined ? undefined : plainAddress(address);
}
