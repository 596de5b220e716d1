import type { ConfigOf } from '#runtime/config/config.ts';
import { createEgressPolicy, type EgressPolicy } from '#runtime/egress/egress-policy.ts';
import { type EGRESS_SETTINGS, toEgressOptions } from '#runtime/egress/settings.ts';

export type StoreEgressSettings = ConfigOf<typeof EGRESS_SETTINGS> & {
  readonly apiServerHost: string;
  readonly storeAllowCidrs: readonly string[];
};

/**
 * The rules for connections to these hosts, each `host` or `host:port`. Only the ranges of stores are open here: a range that
 * is opened for a store is not open for sources.
 */
export function storeEgressPolicy(settings: StoreEgressSettings, hosts: readonly string[]): EgressPolicy {
  return createEgressPolicy({
    ...toEgressOptions(settings, settings.apiServerHost),
    allowCidrs: settings.storeAllowCidrs,
    allowNames: hosts.map((host) => host.replace(/:\d+$/, '')),
  });
}
