import { ConfigError } from '../errors.ts';
import { type Cidr, cutOut, parseCidr } from './cidr.ts';
import type { RefusalReason } from './refusal-reason.ts';

export interface ReasonedCidr extends Cidr {
  readonly reason: RefusalReason;
}

/** All IPv4 ranges that are not public internet addresses of other machines. */
const CLOSED_IPV4: Readonly<Record<string, RefusalReason>> = {
  '0.0.0.0/8': 'loopback',
  '10.0.0.0/8': 'private',
  '100.64.0.0/10': 'shared',
  '127.0.0.0/8': 'loopback',
  '168.63.129.16/32': 'cloud-metadata',
  '169.254.0.0/16': 'link-local',
  '172.16.0.0/12': 'private',
  '192.0.0.0/24': 'special-purpose',
  '192.0.2.0/24': 'special-purpose',
  '192.31.196.0/24': 'special-purpose',
  '192.52.193.0/24': 'special-purpose',
  '192.88.99.0/24': 'translation',
  '192.168.0.0/16': 'private',
  '192.175.48.0/24': 'special-purpose',
  '198.18.0.0/15': 'special-purpose',
  '198.51.100.0/24': 'special-purpose',
  '203.0.113.0/24': 'special-purpose',
  '224.0.0.0/4': 'multicast',
  '240.0.0.0/4': 'reserved',
};

/**
 * All of IPv6 except 2000::/3 is closed, because new special ranges are allocated outside it. The others are the closed
 * ranges inside it. Tunnels (Teredo, 6to4) are closed because packets go to the IPv4 address inside the IPv6 address.
 */
const CLOSED_IPV6: Readonly<Record<string, RefusalReason>> = {
  '::/3': 'outside-global-unicast',
  '4000::/2': 'outside-global-unicast',
  '8000::/1': 'outside-global-unicast',
  '2001::/23': 'special-purpose',
  '2001:db8::/32': 'special-purpose',
  '2002::/16': 'translation',
  '2620:4f:8000::/48': 'special-purpose',
  '3fff::/20': 'special-purpose',
};

/** Parses a range of the setting `origin`. @throws ConfigError that names the setting and the invalid part */
export function requireCidr(text: string, origin: string): Cidr {
  const cidr = parseCidr(text);
  if (!cidr)
    throw new ConfigError(`${origin}: ${JSON.stringify(text)} is not an address range such as 10.0.0.0/8`);
  return cidr;
}

function table(ranges: Readonly<Record<string, RefusalReason>>): readonly ReasonedCidr[] {
  return Object.entries(ranges).map(([text, reason]) => ({ ...requireCidr(text, 'closed ranges'), reason }));
}

/** Mapped addresses are checked as IPv4 addresses. With this range, net.BlockList would match every IPv4 address. */
const MAPPED_HOLE: Cidr = { family: 6, value: 0xffffn << 32n, prefix: 96 };

/** The ranges that are closed by default, as text, for code that handles ranges instead of addresses. */
export const CLOSED_CIDRS: readonly string[] = [...Object.keys(CLOSED_IPV4), ...Object.keys(CLOSED_IPV6)];

/** The ranges that are closed by default. */
export const BASE_RANGES: readonly ReasonedCidr[] = [
  ...table(CLOSED_IPV4),
  ...table(CLOSED_IPV6).flatMap((range) => cutOut(range, MAPPED_HOLE)),
];
