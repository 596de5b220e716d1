import type { Cluster, CommandResult } from '#tools/local-cluster/cluster-types.ts';

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

export interface UpgradeOptions {
  /** Path of the chart; this checkout's without it. */
  readonly chart?: string;
  /** More flags of `helm upgrade`. */
  readonly flags?: readonly string[];
  /** Return the result when helm fails, instead of throwing. */
  readonly allowFailure?: boolean;
}

/** Installs or upgrades the chart with these values and the local ones. Returns before pods are ready. */
export const upgradeRelease = (
  cluster: Cluster,
  values: Readonly<Record<string, unknown>>,
  { chart = 'charts/zipjobs', flags = [], allowFailure = false }: UpgradeOptions = {},
): Promise<CommandResult> =>
  cluster.helm(
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
      ...flags,
    ],
    { input: JSON.stringify({ ...localValues(cluster), ...values }), allowFailure },
  );

/** Installs or upgrades the chart of this checkout, or the one at this path, and waits until its Deployments are ready. */
export const installChart = async (
  cluster: Cluster,
  values: Readonly<Record<string, unknown>> = {},
  chart = 'charts/zipjobs',
): Promise<Installation> => {
  await upgradeRelease(cluster, values, { chart, flags: ['--wait', '--timeout', '200s'] });
  return {
    apiUrl: async () => {
      const address = await cluster.readyPodAddress(RELEASE_NAMESPACE, 'app.kubernetes.io/component=api');
      return `http://${address}:${API_PORT}`;
    },
  };
};
