/** The controllers of the installed chart as an operator sees them: pods, the Lease, metrics. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Cluster, NodelessCluster } from '#tools/local-cluster/cluster-types.ts';
import { KubeApi } from '#tools/local-cluster/kube-api.ts';
import type { RunningPod } from '#tools/local-cluster/node-agent/node-agent.ts';
import { until } from '../until.ts';
import { RELEASE_NAMESPACE } from './installation.ts';

/** Signed in as cluster-admin, for tests with more calls than kubectl can make. */
export async function adminApi(
  cluster: Pick<NodelessCluster, 'dir' | 'apiServer'>,
): Promise<KubeApi & AsyncDisposable> {
  function file(name: string): Promise<string> {
    return readFile(join(cluster.dir, 'certificates', name), 'utf8');
  }
  const [cert, key] = await Promise.all([file('admin.crt'), file('admin.key')]);
  const api = new KubeApi({ url: cluster.apiServer.url, ca: cluster.apiServer.ca, cert, key });
  return Object.assign(api, { [Symbol.asyncDispose]: () => api.close() });
}

/** Running pods of a component (`controller`, `api`). */
export function componentPods(cluster: Cluster, component: string): readonly RunningPod[] {
  return cluster.node
    .pods()
    .filter(({ namespace, name }) => namespace === RELEASE_NAMESPACE && name.includes(`-${component}-`))
    .filter(({ containers }) => containers.length > 0);
}

const LEASES = `/apis/coordination.k8s.io/v1/namespaces/${RELEASE_NAMESPACE}/leases`;

/** Identity in the Lease; empty when no pod holds it. */
export async function leaseHolder(api: KubeApi): Promise<string> {
  const { items } = await api.get<{ items: { spec: { holderIdentity?: string } }[] }>(LEASES);
  return items[0]?.spec.holderIdentity ?? '';
}

/** The two pods of the default installation, once those of the release before have ended. */
export function untilTwoControllers(cluster: Cluster): Promise<readonly RunningPod[]> {
  return until('two controllers', () => {
    const pods = componentPods(cluster, 'controller');
    return pods.length === 2 && pods;
  });
}

/** Waits for a leading pod and returns it. */
export function leadingPod(cluster: Cluster, api: KubeApi): Promise<RunningPod> {
  return until(
    'a controller to lead',
    async () => {
      const holder = await leaseHolder(api);
      return componentPods(cluster, 'controller').find(({ name }) => holder.startsWith(name));
    },
    { limitMs: 120_000 },
  );
}

const ADMIN_PORT = 9090;

/** The sum of all series of a metric whose labels contain the text; 0 when there is none. */
export function metricOf(text: string, name: string, labels = ''): number {
  return text
    .split('\n')
    .filter((line) => line.startsWith(`${name}{`) || line.startsWith(`${name} `))
    .filter((line) => line.includes(labels))
    .reduce((sum, line) => sum + Number(line.slice(line.lastIndexOf(' ') + 1)), 0);
}

/** The response of a pod at /metrics. */
export async function metricsOf(api: KubeApi, pod: RunningPod): Promise<string> {
  const { status } = await api.get<{ status: { podIP?: string } }>(
    `/api/v1/namespaces/${pod.namespace}/pods/${pod.name}`,
  );
  const response = await fetch(`http://${status.podIP}:${ADMIN_PORT}/metrics`);
  return response.text();
}
