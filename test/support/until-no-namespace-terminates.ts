import type { Cluster } from '#tools/local-cluster/cluster-types.ts';
import { until } from './until.ts';

/**
 * Waits until the controller and Kubernetes have deleted what tests left, which takes a while when it is
 * much.
 */
export function untilNoNamespaceTerminates(cluster: Cluster): Promise<unknown> {
  return until(
    'every namespace that is being deleted to be gone',
    async () => !(await cluster.kubectl(['get', 'namespaces'])).stdout.includes('Terminating'),
    { limitMs: 240_000, intervalMs: 1000 },
  );
}
