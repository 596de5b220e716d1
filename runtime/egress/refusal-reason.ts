/**
 * Why an address, name or URL is refused. Only for operator logs and for stores: callers see "unreachable" for all sources and
 * webhooks.
 */
export const REFUSAL_REASONS = [
  'loopback',
  'private',
  'link-local',
  'shared',
  'special-purpose',
  'multicast',
  'reserved',
  'cloud-metadata',
  'translation',
  'outside-global-unicast',
  'own-address',
  'cluster',
  'api-server',
  'denied-by-operator',
  'not-an-address',
  'zone',
  'mapped-literal',
  'name',
  'scheme',
  'credentials',
  'port',
] as const;
export type RefusalReason = (typeof REFUSAL_REASONS)[number];
