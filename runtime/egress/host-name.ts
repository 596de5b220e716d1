import type { EgressPolicy } from './egress-policy.ts';

/** Names that mean a place inside the machine, the cluster or the cloud, whatever a resolver says. */
const INNER_SUFFIXES = ['localhost', 'local', 'internal', 'svc'] as const;
const INNER_NAMES: ReadonlySet<string> = new Set(['metadata.amazonaws.com']);
const LONGEST_NAME = 253;
const LONGEST_LABEL = 63;

const withoutRootDot = (host: string): string => (host.endsWith('.') ? host.slice(0, -1) : host);

/** True when every label of the name has a length that DNS knows. */
export const isHostName = (host: string): boolean => {
  const name = withoutRootDot(host);
  return (
    name.length <= LONGEST_NAME &&
    name.split('.').every((label) => label.length > 0 && label.length <= LONGEST_LABEL)
  );
};

const isLoopbackName = (name: string): boolean => name === 'localhost' || name.endsWith('.localhost');

/** Whether a host name (no address) may be looked up at all; what it resolves to is judged later. */
export const isNameAllowed = (host: string, policy: EgressPolicy): boolean => {
  const name = withoutRootDot(host.toLowerCase());
  if (policy.allowsName(name)) return true;
  if (isLoopbackName(name)) return policy.allowsLoopback;
  if (!name.includes('.') || INNER_NAMES.has(name)) return false;
  return !INNER_SUFFIXES.some((suffix) => name.endsWith(`.${suffix}`));
};

/**
 * The name as the resolver gets it: with the root dot, so that no search list (`svc.cluster.local`) is applied. Names that the
 * operator exempted, and `localhost` where it is open, stay as they are: hosts files and search lists are what they are for.
 */
export const toLookupName = (host: string, policy: EgressPolicy): string => {
  const name = withoutRootDot(host.toLowerCase());
  return policy.allowsName(name) || isLoopbackName(name) ? name : `${name}.`;
};
