import { ConfigError } from '../../errors.ts';
import { type Cidr, contains, embeddedIpv4, isMapped, parseAddress, parseCidr } from '../cidr.ts';

/** True if connections to this host and port bypass the proxy. IPv6 addresses may be in brackets. */
export type IsDirect = (host: string, port: number) => boolean;

/**
 * Never behind a proxy: this machine, services of the cluster, and link-local addresses, where cloud providers serve
 * credentials (169.254.170.23 and fd00:ec2::23 on EKS).
 */
const ALWAYS = [
  'localhost',
  '.svc',
  '.svc.cluster.local',
  '127.0.0.0/8',
  '::1/128',
  '169.254.0.0/16',
  'fe80::/10',
  'fd00:ec2::/32',
];

function bare(host: string): string {
  const plain = host.startsWith('[') && host.endsWith(']') ? host.slice(1, -1) : host;
  return (plain.endsWith('.') ? plain.slice(0, -1) : plain).toLowerCase();
}

function inRange(range: Cidr): IsDirect {
  return (host) => {
    const address = parseAddress(host);
    return address !== undefined && contains(range, isMapped(address) ? embeddedIpv4(address) : address);
  };
}

/** `.example.com` means the names below it, and `example.com` also the name itself. */
function byName(name: string): IsDirect {
  return name.startsWith('.')
    ? (host) => host.endsWith(name)
    : (host) => host === name || host.endsWith(`.${name}`);
}

const NAME = /^[a-z0-9._-]+$/;

function hostRule(text: string): IsDirect | undefined {
  if (text === '*') return () => true;
  const plain = bare(text);
  const range = parseCidr(plain);
  if (range) return inRange(range);
  const name = plain.startsWith('*.') ? plain.slice(1) : plain;
  return NAME.test(name) ? byName(name) : undefined;
}

/** The rule without a port, and the port. A colon inside an IPv6 address does not start a port. */
function splitPort(text: string): readonly [rule: string, port: number | undefined] {
  const at = text.lastIndexOf(':');
  const before = text.slice(0, at);
  const hasPort = at > 0 && (text.startsWith('[') ? before.endsWith(']') : !before.includes(':'));
  return hasPort ? [before, Number(text.slice(at + 1))] : [text, undefined];
}

function toRule(entry: string, origin: string): IsDirect {
  const [text, port] = splitPort(entry.trim().toLowerCase());
  const rule = hostRule(text);
  if (!rule || (port !== undefined && !(Number.isInteger(port) && port > 0 && port < 65_536)))
    throw new ConfigError(
      `${origin}: ${JSON.stringify(entry)} is neither a host, a domain such as .example.com, nor a range such as 10.0.0.0/8`,
    );
  return port === undefined ? rule : (host, actual) => actual === port && rule(host, actual);
}

/**
 * Parses a list like NO_PROXY: `*`, hosts with their subdomains, `.domain`, addresses and ranges, each with an optional
 * port. Ranges match addresses in URLs only, because names are not resolved for it. `origin` is the setting.
 * @throws ConfigError for an invalid entry
 */
export function createIsDirect(entries: readonly string[], origin: string): IsDirect {
  const rules = [...ALWAYS, ...entries].map((entry) => toRule(entry, origin));
  return (host, port) => {
    const plain = bare(host);
    return rules.some((rule) => rule(plain, port));
  };
}
