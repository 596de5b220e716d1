import { openIpBlocks } from '#runtime/egress/ip-blocks.ts';
import { toEgressOptions } from '#runtime/egress/settings.ts';
import { ConfigError } from '#runtime/errors.ts';
import type { ControllerConfig } from '../config.ts';
import type { ZipperNetwork } from './project-objects.ts';

function portOf(text: string): number {
  const port = Number(text);
  if (Number.isInteger(port) && port > 0 && port < 65_536) return port;
  throw new ConfigError(`API_SERVER_PORTS: ${JSON.stringify(text)} is not a port number`);
}

/** @throws ConfigError if policies are enabled without the addresses and ports of the API server. */
export function zipperNetworkOf(config: ControllerConfig): ZipperNetwork | undefined {
  if (!config.networkPolicies) return undefined;
  if (config.apiServerCidrs.length === 0)
    throw new ConfigError(
      'NETWORK_POLICIES is true, but API_SERVER_CIDRS is empty. Set it to the addresses of the API server',
    );
  // A rule without ports would allow all of them.
  if (config.apiServerPorts.length === 0)
    throw new ConfigError(
      'NETWORK_POLICIES is true, but API_SERVER_PORTS is empty. Set it to the ports of the API server',
    );
  const egress = toEgressOptions(config, config.kubernetesHost);
  return {
    // A NetworkPolicy cannot tell a source from a store. The zipper does.
    open: openIpBlocks(
      { ...egress, allowCidrs: [...egress.allowCidrs, ...config.storeAllowCidrs] },
      config.proxyCidrs,
    ),
    apiServerCidrs: config.apiServerCidrs,
    apiServerPorts: config.apiServerPorts.map(portOf),
  };
}
