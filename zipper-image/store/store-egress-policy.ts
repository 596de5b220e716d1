import type { ConfigOf } from '#runtime/config/config.ts';
import { createEgressPolicy, type EgressPolicy } from '#runtime/egress/egress-policy.ts';
import { formatHostPort } from '#runtime/egress/host-port.ts';
import { portOfUrl } from '#runtime/egress/open-socket.ts';
import { type EGRESS_SETTINGS, toEgressOptions } from '#runtime/egress/settings.ts';
import { isListedWithPort } from '#runtime/store/listed-hosts.ts';

export type StoreEgressSettings = ConfigOf<typeof EGRESS_SETTINGS> & {
  readonly apiServerHost: string;
  readonly apiServerPort: number;
  readonly storeAllowCidrs: readonly string[];
};

/**
 * The rules for connections to the endpoint, which is at one of these hosts, each `host` or `host:port`. Only the ranges of stores
 * are open here: a range that is opened for a store is not open for sources. An endpoint whose port the operator names may have
 * the address of the API server, unless the API server listens on that port.
 */
export function storeEgressPolicy(
  settings: StoreEgressSettings,
  hosts: readonly string[],
  endpoint: string | undefined,
): EgressPolicy {
  const apiServer = formatHostPort({ host: settings.apiServerHost, port: settings.apiServerPort });
  const url = URL.parse(endpoint ?? '');
  const port = url && isListedWithPort(url, hosts) ? portOfUrl(url) : undefined;
  return createEgressPolicy({
    ...toEgressOptions(settings, apiServer, port),
    allowCidrs: settings.storeAllowCidrs,
    allowNames: hosts.map((host) => host.replace(/:\d+$/, '')),
  });
}
