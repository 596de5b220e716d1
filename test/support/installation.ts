import type { Cluster } from '../cluster/cluster-types.ts';

/** Where the chart is installed. */
export const RELEASE = 'zipjobs';
export const RELEASE_NAMESPACE = 'zipjobs-system';

/** Values for a cluster on loopback: nothing is granted outside the chart. */
const localValues = (cluster: Cluster): Readonly<Record<string, unknown>> => ({
  egress: { allowCidrs: ['127.0.0.0/8'] },
  webhooks: { allowHttp: true },
  networkPolicies: { enabled: true, apiServerCidrs: ['127.0.0.1/32'] },
  // Without a port: stores that a test starts itself are on other ones.
  store: { allowHttp: true, allowedHosts: [new URL(cluster.store.endpoint).hostname] },
});

export interface Installation {
  /** Base URL of a ready API pod. */
  apiUrl(): Promise<string>;
}

/** Port that the API pods serve on; the chart's default. */
const API_PORT = 8080;

/** Installs or upgrades the chart of this checkout, or the one at this path, and waits until its Deployments are ready. */
export const installChart = async (
  cluster: Cluster,
  values: Readonly<Record<string, unknown>> = {},
  chart = 'charts/zipjobs',
): Promise<Installation> => {
  await cluster.helm(
    [
      'upgrade',
      RELEASE,
      chart,
      '--install',
      '--create-namespace',
      '--namespace',
      RELEASE_NAMESPACE,
      '--values',
      '-',
      '--wait',
      '--timeout',
      '200s',
    ],
    { input: JSON.stringify({ ...localValues(cluster), ...values }) },
  );
  return {
    apiUrl: async () => {
      const address = await cluster.readyPodAddress(RELEASE_NAMESPACE, 'app.kubernetes.io/component=api');
      return `http://${address}:${API_PORT}`;
    },
  };
};
