/** Why an address, name or URL must not be reached. For operator logs only: outsiders learn nothing but "unreachable". */
export type RefusalReason =
  | 'loopback'
  | 'private'
  | 'link-local'
  | 'shared'
  | 'special-purpose'
  | 'multicast'
  | 'reserved'
  | 'cloud-metadata'
  | 'translation'
  | 'outside-global-unicast'
  | 'own-address'
  | 'denied-by-operator'
  | 'not-an-address'
  | 'zone'
  | 'mapped-literal'
  | 'name'
  | 'scheme'
  | 'credentials'
  | 'port';

export type AddressVerdict = 'allowed' | { readonly refused: RefusalReason };

export interface EgressPolicy {
  /** Judges the binary address of `ip`; mapped IPv6 addresses are judged as the IPv4 address that they mean. Pure. */
  judgeAddress(ip: string): AddressVerdict;
  /** Whether names such as `localhost` may be used: 127.0.0.1 was opened by the operator. */
  readonly allowsLoopback: boolean;
  /** True for host names that the operator exempted from the rules for names; their addresses are judged all the same. */
  allowsName(host: string): boolean;
  /** Every closed range, holes cut out: for net.BlockList. */
  readonly closedRanges: readonly ClosedRange[];
}

export interface ClosedRange {
  readonly family: 'ipv4' | 'ipv6';
  readonly network: string;
  readonly prefix: number;
}
