import type { Cluster } from '#tools/local-cluster/cluster-types.ts';
import { until } from '../until.ts';

/**
 * Sets the status of the zipper pod of a ZipJob that is on no node, like a kubelet while its container waits.
 */
export async function setWaitingReason(
  cluster: Cluster,
  { namespace, name }: { readonly namespace: string; readonly name: string },
  waiting: { readonly reason: string; readonly message: string },
): Promise<void> {
  async function inProject(...args: readonly string[]): Promise<string> {
    return (await cluster.kubectl(['-n', namespace, ...args])).stdout;
  }
  const label = `app.kubernetes.io/instance=${name}`;
  const pod = await until(
    `a pod of ${name}`,
    async () => (await inProject('get', 'pods', '-l', label, '-o', 'name')).trim() || false,
  );
  const status = {
    containerStatuses: [
      { name: 'zipper', image: 'i', imageID: '', ready: false, restartCount: 0, state: { waiting } },
    ],
  };
  await inProject('patch', pod, '--subresource=status', '--type=merge', '-p', JSON.stringify({ status }));
}
