import { type Cidr, contains, cutOut, formatAddress, parseCidr } from './cidr.ts';
import { CLOSED_CIDRS, requireCidr } from './closed-ranges.ts';
import { apiServerRanges, type EgressPolicyOptions } from './egress-policy.ts';

/** A range with exceptions, in the form of a NetworkPolicy. */
export interface IpBlock {
  readonly cidr: string;
  readonly except?: readonly string[];
}

const WORLD: readonly Cidr[] = [
  { family: 4, value: 0n, prefix: 0 },
  { family: 6, value: 0n, prefix: 0 },
];

function textOf(cidr: Cidr): string {
  return `${formatAddress(cidr)}/${cidr.prefix}`;
}

/** The API server rejects exceptions that are not smaller than their block, so a block that is closed completely is omitted. */
function blockOf(range: Cidr, closed: readonly Cidr[]): readonly IpBlock[] {
  if (closed.some((one) => contains(one, range))) return [];
  const except = closed.filter((one) => contains(range, one)).map(textOf);
  return [{ cidr: textOf(range), ...(except.length > 0 && { except }) }];
}

/** The IPv4 ranges among these, under a NAT64 prefix of 96 bits. */
function behind(prefix: Cidr, ranges: readonly Cidr[]): readonly Cidr[] {
  return ranges
    .filter(({ family }) => family === 4)
    .map((range) => ({ family: 6, value: prefix.value | range.value, prefix: 96 + range.prefix }));
}

/** What remains of the ranges outside the holes. */
function without(ranges: readonly Cidr[], holes: readonly Cidr[]): readonly Cidr[] {
  return holes.reduce((left, hole) => left.flatMap((one) => cutOut(one, hole)), ranges);
}

/**
 * The egress policy as a NetworkPolicy can express it: all addresses except the closed ones, and the ranges that the
 * operator opened. The check in the process still applies, because it also covers names, ports and mapped addresses.
 * Proxies are open in any case: they have their own rules.
 */
export function openIpBlocks(
  options: EgressPolicyOptions,
  proxyCidrs: readonly string[] = [],
): readonly IpBlock[] {
  const denied = options.denyCidrs.map((text) => requireCidr(text, 'EGRESS_DENY_CIDRS'));
  const opened = options.allowCidrs.map((text) => requireCidr(text, 'EGRESS_ALLOW_CIDRS'));
  const special = CLOSED_CIDRS.map((text) => requireCidr(text, 'closed ranges'));
  const cluster = (options.clusterCidrs ?? []).map((text) => requireCidr(text, 'EGRESS_CLUSTER_CIDRS'));
  const apiServer = apiServerRanges(options.apiServerAddresses ?? []);
  const further = [...cluster, ...apiServer].filter((one) => !special.some((range) => contains(range, one)));
  const closed = [...special, ...further, ...denied];
  const kept = [...denied, ...apiServer];
  const reopened = without(opened, kept);
  const nat64 = parseCidr(options.nat64Prefix ?? '');
  const closedBehind = nat64 ? behind(nat64, closed) : [];
  const translated = nat64
    ? blockOf(nat64, [...closedBehind, ...kept.filter(({ family }) => family === 6)])
    : [];
  const reopenedBehind = nat64 ? without(behind(nat64, reopened), kept) : [];
  const proxies = proxyCidrs.map((text) => requireCidr(text, 'PROXY_CIDRS'));
  const proxiesBehind = nat64 ? behind(nat64, proxies) : [];
  return [
    ...WORLD.flatMap((range) => blockOf(range, [...closed, ...closedBehind])),
    ...translated,
    ...[...reopened, ...reopenedBehind, ...proxies, ...proxiesBehind].map((range) => ({
      cidr: textOf(range),
    })),
  ];
}
