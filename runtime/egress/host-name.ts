import type { EgressPolicy } from './egress-policy.ts';

/** Names that refer to the machine, the cluster or the cloud provider, whatever they resolve to. */
const INNER_SUFFIXES = ['localhost', 'local', 'internal', 'svc'] as const;
const INNER_NAMES: ReadonlySet<string> = new Set(['metadata.amazonaws.com', 'metadata.goog']);
const LONGEST_NAME = 253;
const LONGEST_LABEL = 63;

function withoutRootDot(host: string): string {
  return host.endsWith('.') ? host.slice(0, -1) : host;
}

/** True if every label and the whole name have a length that DNS allows. */
export function isHostName(host: string): boolean {
  const name = withoutRootDot(host);
  return (
    name.length <= LONGEST_NAME &&
    name.split('.').every((label) => label.length > 0 && label.length <= LONGEST_LABEL)
  );
}

/** True for `localhost` and the names below it. */
export function isLoopbackName(host: string): boolean {
  const name = withoutRootDot(host.toLowerCase());
  return name === 'localhost' || name.endsWith('.localhost');
}

/** Whether a host name (not an address) may be resolved. Its addresses are checked later. */
export function isNameAllowed(host: string, policy: EgressPolicy): boolean {
  const name = withoutRootDot(host.toLowerCase());
  if (policy.allowsName(name)) return true;
  if (isLoopbackName(name)) return policy.allowsLoopback;
  if (!name.includes('.') || INNER_NAMES.has(name)) return false;
  return !INNER_SUFFIXES.some((suffix) => name.endsWith(`.${suffix}`));
}

/**
 * The name for the resolver: with a trailing dot, so that no search list (`svc.cluster.local`) applies. Names that the
 * operator exempted stay unchanged, because they may depend on one.
 */
export function toLookupName(host: string, policy: EgressPolicy): string {
  const name = withoutRootDot(host.toLowerCase());
  return policy.allowsName(name) ? name : `${name}.`;
}
