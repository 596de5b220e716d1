import { isIP } from 'node:net';
import { readConfig } from '#runtime/config/read-config.ts';
import { createEgressPolicy } from '#runtime/egress/egress-policy.ts';
import { formatHostPort, type HostPort, parseHostPort } from '#runtime/egress/host-port.ts';
import { toEgressOptions } from '#runtime/egress/settings.ts';
import { STORE_RULE_SETTINGS, STS_HOST_SETTINGS } from '#runtime/store/settings.ts';
import type { ControllerConfig } from '../config/config.ts';

/** One port of one address. */
export interface AddressPort {
  readonly address: string;
  readonly port: number;
}

type Config = Parameters<typeof toEgressOptions>[0] &
  Pick<ControllerConfig, 'kubernetesHost' | 'kubernetesPort' | 'storeAllowCidrs' | 'zipperEnv'>;

/** The rules of the zipper for a store at this port, or at a port that the operator does not name. */
function policyAt(config: Config, port?: number) {
  const apiServer = formatHostPort({ host: config.kubernetesHost, port: config.kubernetesPort });
  const options = toEgressOptions(config, apiServer, port);
  return createEgressPolicy({ ...options, allowCidrs: config.storeAllowCidrs, ownAddresses: [] });
}

function hasPort(listed: HostPort): listed is HostPort & { readonly port: number } {
  return listed.port !== undefined;
}

/**
 * Stores and token services that the operator allows with their port may have an address of the API server, which the other
 * blocks of a NetworkPolicy exclude. The addresses of names are not known here, so a name opens its port at all of them.
 */
export function storesAtApiServer(config: Config): readonly AddressPort[] {
  const listed = readConfig({ ...STORE_RULE_SETTINGS, ...STS_HOST_SETTINGS }, config.zipperEnv);
  const addresses = new Set(config.egressApiServerAddresses.map((text) => parseHostPort(text).host));
  const closed = policyAt(config);
  const found = [...listed.storeAllowedHosts, ...listed.storeStsHosts]
    .map((text) => parseHostPort(text.toLowerCase()))
    .filter(hasPort)
    .flatMap(({ host, port }) => {
      const open = policyAt(config, port);
      return [...addresses]
        .filter((address) => isIP(host) === 0 || host === address)
        .filter((address) => closed.judgeAddress(address) !== 'allowed')
        .filter((address) => open.judgeAddress(address) === 'allowed')
        .map((address) => ({ address, port }));
    });
  return [
    ...new Map(found.map((one) => [formatHostPort({ host: one.address, port: one.port }), one])).values(),
  ];
}
