import type { Cluster } from '#tools/local-cluster/cluster-types.ts';
import { type ServerProcess, type ServerProcessOptions, startServerProcess } from './server-process.ts';

const IMAGE = {
  folder: 'api',
  serviceAccount: 'zipjobs-api',
  envOf: () => ({ EGRESS_ALLOW_CIDRS: '127.0.0.0/8' }),
} as const;

/** An API outside the cluster, with the permissions of the installed one. */
export function startApiProcess(
  cluster: Cluster,
  options: ServerProcessOptions = {},
): Promise<ServerProcess> {
  return startServerProcess(cluster, IMAGE, options);
}
