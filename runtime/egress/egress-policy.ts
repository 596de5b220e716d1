import { networkInterfaces } from 'node:os';
import { ConfigError } from '../errors.ts';
import {
  bitsOf,
  type Cidr,
  contains,
  cutOut,
  embeddedIpv4,
  formatAddress,
  isMapped,
  parseAddress,
} from './cidr.ts';
import { BASE_RANGES, type ReasonedCidr, requireCidr } from './closed-ranges.ts';
import type { RefusalReason } from './refusal-reason.ts';

export type AddressVerdict = 'allowed' | { readonly refused: RefusalReason };

export interface EgressPolicy {
  /** Checks the binary address of `ip`. Mapped IPv6 addresses are checked as IPv4 addresses. Pure. */
  judgeAddress(ip: string): AddressVerdict;
  /** True if names such as `localhost` are allowed, because the operator opened 127.0.0.1. */
  readonly allowsLoopback: boolean;
  /** True for host names that the operator exempted from the rules for names. Their addresses are still checked. */
  allowsName(host: string): boolean;
  /** Every closed range without its exceptions, for net.BlockList. */
  readonly closedRanges: readonly ClosedRange[];
}

export interface ClosedRange {
  readonly family: 'ipv4' | 'ipv6';
  readonly network: string;
  readonly prefix: number;
}

export interface EgressPolicyOptions {
  /** Ranges to open although they are closed by default. */
  readonly allowCidrs: readonly string[];
  /** Ranges to close. They override everything else. */
  readonly denyCidrs: readonly string[];
  /** Ranges of the cluster's services, nodes and pods, which can look public. Closed unless allowCidrs opens them. */
  readonly clusterCidrs?: readonly string[];
  /** Addresses of the API server. Closed even if allowCidrs opens them, except on loopback. Host names are ignored. */
  readonly apiServerAddresses?: readonly string[];
  /**
   * Host names that may be single-label or internal to the cluster. Only the operator sets them. Their addresses are
   * still checked.
   */
  readonly allowNames?: readonly string[];
  /** The network's NAT64 prefix (a /96). Addresses in it are checked as the IPv4 address in their last 32 bits. */
  readonly nat64Prefix?: string;
  /** Addresses of this machine, closed unless allowCidrs opens them. Default: those of its network interfaces. */
  readonly ownAddresses?: readonly string[];
}

function interfaceAddresses(): readonly string[] {
  return Object.values(networkInterfaces()).flatMap((list) => (list ?? []).map(({ address }) => address));
}

function ownRanges(addresses: readonly string[]): readonly ReasonedCidr[] {
  return addresses.flatMap((text) => {
    const address = parseAddress(text);
    return address ? [{ ...address, prefix: bitsOf(address.family), reason: 'own-address' as const }] : [];
  });
}

const LOOPBACK: readonly Cidr[] = [
  requireCidr('127.0.0.0/8', 'loopback'),
  requireCidr('::1/128', 'loopback'),
];

/**
 * The addresses of the API server as ranges. Its other ports belong to the control plane too, so no port is open. An API server
 * on loopback shares the address with every other server of a test machine.
 */
export function apiServerRanges(addresses: readonly string[]): readonly ReasonedCidr[] {
  return addresses
    .flatMap((text): readonly ReasonedCidr[] => {
      const address = parseAddress(text);
      return address ? [{ ...address, prefix: bitsOf(address.family), reason: 'api-server' }] : [];
    })
    .filter((range) => !LOOPBACK.some((loopback) => contains(loopback, range)));
}

function nat64Range(text: string | undefined): Cidr | undefined {
  if (text === undefined) return undefined;
  const range = requireCidr(text, 'nat64Prefix');
  if (range.family !== 6 || range.prefix !== 96)
    throw new ConfigError(`nat64Prefix: ${JSON.stringify(text)} is not an IPv6 /96 prefix`);
  return range;
}

/** The closed IPv4 ranges under the NAT64 prefix. */
function translated(ranges: readonly ReasonedCidr[], nat64: Cidr): readonly ReasonedCidr[] {
  return ranges
    .filter(({ family }) => family === 4)
    .map((range) => ({ ...range, family: 6, value: nat64.value | range.value, prefix: 96 + range.prefix }));
}

function closedTable(options: EgressPolicyOptions): readonly ReasonedCidr[] {
  const holes = options.allowCidrs.map((text) => requireCidr(text, 'allowCidrs'));
  const denied = options.denyCidrs.map((text) => ({
    ...requireCidr(text, 'denyCidrs'),
    reason: 'denied-by-operator' as const,
  }));
  const nat64 = nat64Range(options.nat64Prefix);
  const open = nat64 ? [...holes, nat64] : holes;
  const cluster = (options.clusterCidrs ?? []).map((text) => ({
    ...requireCidr(text, 'clusterCidrs'),
    reason: 'cluster' as const,
  }));
  const natural = [...BASE_RANGES, ...cluster, ...ownRanges(options.ownAddresses ?? interfaceAddresses())];
  const closed = [
    ...apiServerRanges(options.apiServerAddresses ?? []),
    ...denied,
    ...open.reduce<readonly ReasonedCidr[]>(
      (ranges, hole) => ranges.flatMap((range) => cutOut(range, hole)),
      natural,
    ),
  ];
  return nat64 ? [...closed, ...translated(closed, nat64)] : closed;
}

/**
 * The rules for outgoing connections, from one table of closed ranges: the defaults, without what the operator opens,
 * plus what the operator closes.
 * @throws ConfigError for an invalid range
 */
export function createEgressPolicy(options: EgressPolicyOptions): EgressPolicy {
  const table = closedTable(options);
  const names = new Set(options.allowNames?.map((name) => name.toLowerCase()));
  function judgeAddress(ip: string): AddressVerdict {
    if (ip.includes('%')) return { refused: 'zone' };
    const address = parseAddress(ip);
    if (!address) return { refused: 'not-an-address' };
    const meant = isMapped(address) ? embeddedIpv4(address) : address;
    const closed = table.find((range) => contains(range, meant));
    return closed ? { refused: closed.reason } : 'allowed';
  }
  return Object.freeze({
    judgeAddress,
    allowsLoopback: judgeAddress('127.0.0.1') === 'allowed',
    allowsName: (host: string) => names.has(host.toLowerCase().replace(/\.$/, '')),
    closedRanges: table.map((range) => ({
      family: range.family === 4 ? ('ipv4' as const) : ('ipv6' as const),
      network: formatAddress(range),
      prefix: range.prefix,
    })),
  });
}
