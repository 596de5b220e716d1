import { isPolicyNotReady } from '#runtime/kube/client/policy-refusal.ts';
import type { Cluster, CommandResult } from '#tools/local-cluster/cluster-types.ts';
import { aZipJob } from '../builders/objects.ts';
import { until } from '../until.ts';

/** The namespace of the chart. */
export const RELEASE = 'zipjobs';
export const RELEASE_NAMESPACE = 'zipjobs-system';

/** The controller of Kueue, whose part some tests play. */
export const KUEUE_USER = 'system:serviceaccount:kueue-system:kueue-controller-manager';

/** Values for a cluster on loopback: the chart grants nothing outside of it. */
function localValues(cluster: Cluster): Readonly<Record<string, unknown>> {
  return {
    image: { registry: 'localhost' },
    egress: { allowCidrs: ['127.0.0.0/8'] },
    webhooks: { allowHttp: true },
    // Its service account and roles without a pod: tests start dashboards outside the cluster.
    dashboard: { enabled: true, replicas: 0 },
    networkPolicies: { enabled: true, apiServerCidrs: ['127.0.0.1/32'] },
    policies: { queueControllerUsers: [KUEUE_USER] },
    // Without a port, because stores that a test starts use other ports.
    store: {
      allowHttp: true,
      allowCidrs: ['127.0.0.0/8'],
      allowedHosts: [new URL(cluster.store.endpoint).hostname],
      webIdentity: { audiences: ['sts.min.io', 'another.example'], stsHosts: ['127.0.0.1'] },
    },
  };
}

export interface Installation {
  /** Base URL of a ready API pod. */
  apiUrl(): Promise<string>;
}

/** Port of the API pods; the chart's default. */
const API_PORT = 8080;

export interface UpgradeOptions {
  /** Path of the chart; this checkout's by default. */
  readonly chart?: string;
  /** Additional flags of `helm upgrade`. */
  readonly flags?: readonly string[];
  /** Return the result when helm fails, instead of throwing. */
  readonly allowFailure?: boolean;
}

/** Installs or upgrades the chart with these values and the local ones. Returns before pods are ready. */
export function upgradeRelease(
  cluster: Cluster,
  values: Readonly<Record<string, unknown>>,
  { chart = 'charts/zipjobs', flags = [], allowFailure = false }: UpgradeOptions = {},
): Promise<CommandResult> {
  return cluster.helm(
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
}

/** A policy with parameters of a new definition refuses everything until the API server has found it; clients get 503 until then. */
export async function untilPoliciesReady(cluster: Pick<Cluster, 'kubectl'>): Promise<void> {
  const job = { ...aZipJob(), metadata: { name: 'ready', namespace: 'default' } };
  const create = ['create', '--dry-run=server', '-o', 'name', '-f', '-'];
  await until(
    'the policies to be ready',
    async () => {
      const { stderr } = await cluster.kubectl(create, { input: JSON.stringify(job), allowFailure: true });
      return !isPolicyNotReady(stderr);
    },
    { limitMs: 60_000, intervalMs: 500 },
  );
}

/**
 * Installs or upgrades the chart of this checkout, or the one at this path, and waits until its Deployments
 * are ready.
 */
export async function installChart(
  cluster: Cluster,
  values: Readonly<Record<string, unknown>> = {},
  chart = 'charts/zipjobs',
): Promise<Installation> {
  await upgradeRelease(cluster, values, { chart, flags: ['--wait', '--timeout', '200s'] });
  await untilPoliciesReady(cluster);
  async function find(): Promise<string> {
    const address = await cluster.readyPodAddress(RELEASE_NAMESPACE, 'app.kubernetes.io/component=api');
    return `http://${address}:${API_PORT}`;
  }
  let finding: Promise<string> | undefined;
  return {
    // One look-up for all who wait: the clients of a chaos test would list the pods 800 times a second while no pod is ready.
    apiUrl: () => {
      finding ??= find().finally(() => {
        finding = undefined;
      });
      return finding;
    },
  };
}
