import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';

export interface Address {
  readonly family: 4 | 6;
  readonly value: bigint;
}

export interface Cidr extends Address {
  readonly prefix: number;
}

export function bitsOf(family: 4 | 6): number {
  return family === 4 ? 32 : 128;
}

const MAPPED_PREFIX = 0xffffn;

function toAddress(text: string): Address {
  const parsed = ipaddr.parse(text);
  const value = parsed.toByteArray().reduce((sum, byte) => (sum << 8n) | BigInt(byte), 0n);
  return { family: parsed.kind() === 'ipv4' ? 4 : 6, value };
}

/** True for an IPv6 address that carries an IPv4 address (`::ffff:a.b.c.d`). */
export function isMapped(address: Address): boolean {
  return address.family === 6 && address.value >> 32n === MAPPED_PREFIX;
}

/** The low 32 bits of an IPv6 address as an IPv4 address. */
export function embeddedIpv4(address: Address): Address {
  return {
    family: 4,
    value: address.value & 0xffff_ffffn,
  };
}

/** Parses the canonical spelling that resolvers and URL() return. Undefined for short, octal or zoned forms. */
export function parseAddress(text: string): Address | undefined {
  return isIP(text) === 0 || text.includes('%') ? undefined : toAddress(text);
}

function networkOf(family: 4 | 6, value: bigint, prefix: number): bigint {
  const hostBits = BigInt(bitsOf(family) - prefix);
  return (value >> hostBits) << hostBits;
}

/**
 * Parses `10.0.0.0/8` or a single address, and ignores host bits. A mapped range becomes its IPv4 range. Undefined if
 * the text is not a range.
 */
export function parseCidr(text: string): Cidr | undefined {
  const [host = '', length, ...rest] = text.trim().split('/');
  const address = parseAddress(host);
  if (!address || rest.length > 0) return undefined;
  if (length !== undefined && !/^\d{1,3}$/.test(length)) return undefined;
  const prefix = length === undefined ? bitsOf(address.family) : Number(length);
  if (prefix > bitsOf(address.family)) return undefined;
  if (isMapped(address) && prefix >= 96) {
    const { value } = embeddedIpv4(address);
    return { family: 4, value: networkOf(4, value, prefix - 96), prefix: prefix - 96 };
  }
  return { family: address.family, value: networkOf(address.family, address.value, prefix), prefix };
}

/** True if `outer` contains all of `inner`. */
export function contains(outer: Cidr, inner: Cidr | Address): boolean {
  if (outer.family !== inner.family) return false;
  if ('prefix' in inner && inner.prefix < outer.prefix) return false;
  const shift = BigInt(bitsOf(outer.family) - outer.prefix);
  return inner.value >> shift === outer.value >> shift;
}

/** The rest of `range` without `hole`. */
export function cutOut<T extends Cidr>(range: T, hole: Cidr): readonly T[] {
  if (contains(hole, range)) return [];
  if (!contains(range, hole)) return [range];
  const prefix = range.prefix + 1;
  const upper = range.value | (1n << BigInt(bitsOf(range.family) - prefix));
  return [range.value, upper].flatMap((value) => cutOut({ ...range, value, prefix }, hole));
}

/** Canonical text of an address, for net.BlockList. */
export function formatAddress(address: Address): string {
  const bytes = Array.from({ length: bitsOf(address.family) / 8 }, (_, index) =>
    Number((address.value >> BigInt(bitsOf(address.family) - 8 * (index + 1))) & 0xffn),
  );
  return ipaddr.fromByteArray(bytes).toString();
}
