import { isIP } from 'node:net';
import { isMapped, parseAddress } from './cidr.ts';
import type { EgressPolicy } from './egress-policy.ts';
import { isHostName, isNameAllowed } from './host-name.ts';
import type { RefusalReason } from './refusal-reason.ts';

export type SyntaxReason = 'characters' | 'unparsable' | 'host';

export type JudgedUrl =
  | { readonly ok: true; readonly url: URL }
  | { readonly ok: false; readonly kind: 'syntax'; readonly reason: SyntaxReason }
  | { readonly ok: false; readonly kind: 'refused'; readonly reason: RefusalReason };

/** Ports that the Fetch standard blocks: their services could interpret the text of an HTTP request as commands. */
const BAD_PORTS: ReadonlySet<number> = new Set([
  0, 1, 7, 9, 11, 13, 15, 17, 19, 20, 21, 22, 23, 25, 37, 42, 43, 53, 69, 77, 79, 87, 95, 101, 102, 103, 104,
  109, 110, 111, 113, 115, 117, 119, 123, 135, 137, 139, 143, 161, 179, 389, 427, 465, 512, 513, 514, 515,
  526, 530, 531, 532, 540, 548, 554, 556, 563, 587, 601, 636, 989, 990, 993, 995, 1719, 1720, 1723, 2049,
  3659, 4045, 4190, 5060, 5061, 6000, 6566, 6665, 6666, 6667, 6668, 6669, 6679, 6697, 10080,
]);

/** URL() silently removes some of these, so the fetched URL would differ from the one that the caller sent. */
const RAW_CONTROL_OR_SPACE = /[\p{Cc} ]/u;

function syntax(reason: SyntaxReason): JudgedUrl {
  return { ok: false, kind: 'syntax', reason };
}

function refused(reason: RefusalReason): JudgedUrl {
  return { ok: false, kind: 'refused', reason };
}

/** An address in the form of URL(), without brackets. Undefined for a name. */
function literalOf(hostname: string): string | undefined {
  const host = hostname.startsWith('[') ? hostname.slice(1, -1) : hostname;
  return isIP(host) === 0 ? undefined : host;
}

/**
 * Checks the host of a URL: an address by the policy (mapped forms are always refused), a name by the rules for names.
 */
export function judgeHost(hostname: string, policy: EgressPolicy): RefusalReason | undefined {
  const literal = literalOf(hostname);
  if (literal === undefined) return isNameAllowed(hostname, policy) ? undefined : 'name';
  const address = parseAddress(literal);
  if (address && isMapped(address)) return 'mapped-literal';
  const verdict = policy.judgeAddress(literal);
  return verdict === 'allowed' ? undefined : verdict.refused;
}

interface JudgedHost {
  readonly hostname: string;
  readonly isBadName: boolean;
  readonly refused: RefusalReason | undefined;
}

/** Most URLs of a list have the host of the one before. */
const lastHosts = new WeakMap<EgressPolicy, JudgedHost>();

function judgedHostOf({ hostname }: URL, policy: EgressPolicy): JudgedHost {
  const last = lastHosts.get(policy);
  if (last?.hostname === hostname) return last;
  const isBadName = hostname !== '' && literalOf(hostname) === undefined && !isHostName(hostname);
  const host = { hostname, isBadName, refused: judgeHost(hostname, policy) };
  lastHosts.set(policy, host);
  return host;
}

function refusalOf(url: URL, host: JudgedHost): RefusalReason | undefined {
  if (url.protocol !== 'http:' && url.protocol !== 'https:') return 'scheme';
  if (url.username !== '' || url.password !== '') return 'credentials';
  if (url.port !== '' && BAD_PORTS.has(Number(url.port))) return 'port';
  return host.refused;
}

/**
 * Checks a URL without DNS, to report errors early for requests and redirects. The guarded agent enforces the policy
 * when it connects. Pure.
 */
export function judgeUrl(text: string, policy: EgressPolicy): JudgedUrl {
  if (RAW_CONTROL_OR_SPACE.test(text) || !text.isWellFormed()) return syntax('characters');
  const url = URL.parse(text);
  if (!url) return syntax('unparsable');
  const host = judgedHostOf(url, policy);
  if (host.isBadName) return syntax('host');
  const reason = refusalOf(url, host);
  return reason === undefined ? { ok: true, url } : refused(reason);
}
