import type { Cluster } from '#tools/local-cluster/cluster-types.ts';
import { type ServerProcess, type ServerProcessOptions, startServerProcess } from './server-process.ts';

const IMAGE = {
  folder: 'dashboard',
  serviceAccount: 'zipjobs-dashboard',
  envOf: (url: string) => ({
    DASHBOARD_URL: url,
    STORE_ALLOWED_HOSTS: '127.0.0.1',
    STORE_ALLOW_HTTP: 'true',
  }),
} as const;

/** A dashboard outside the cluster, with the permissions of the installed one. */
export function startDashboardProcess(
  cluster: Cluster,
  options: ServerProcessOptions = {},
): Promise<ServerProcess> {
  return startServerProcess(cluster, IMAGE, options);
}
