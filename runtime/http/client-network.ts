import ipaddr from 'ipaddr.js';

const IPV6_NETWORK_BYTES = 8;

/** The subject of a limit per client: a client with an IPv6 address usually controls its whole /64 network. */
export function clientNetwork(address: string): string {
  if (!ipaddr.isValid(address)) return 'unknown';
  const parsed = ipaddr.process(address);
  if (parsed.kind() === 'ipv4') return parsed.toString();
  return Buffer.from(parsed.toByteArray().slice(0, IPV6_NETWORK_BYTES)).toString('hex');
}
