import { ADDRESSES } from '#tools/real-node/addresses.ts';
import { IMAGE_TAG, REGISTRY } from '#tools/real-node/images.ts';
import type { RealCluster } from '#tools/real-node/real-cluster.ts';
import { RELEASE, RELEASE_NAMESPACE, untilPoliciesReady } from '../processes/installation.ts';

/** Values for a cluster whose callers, receivers and store are at one private address. */
const VALUES = {
  egress: { allowCidrs: [`${ADDRESSES.outside}/32`] },
  webhooks: { allowHttp: true },
  store: { allowHttp: true, allowCidrs: [`${ADDRESSES.outside}/32`], allowedHosts: [ADDRESSES.outside] },
  dashboard: { enabled: true, allowHttp: true },
};

/** Installs or upgrades the chart with images of this tag and more values, and waits until its pods and policies are ready. */
export async function installOnNode(
  cluster: RealCluster,
  tag: string = IMAGE_TAG,
  values: Readonly<Record<string, unknown>> = {},
): Promise<void> {
  const flags = ['--install', '--create-namespace', '--wait', '--timeout', '180s', '--values', '-'];
  await cluster.helm(['upgrade', RELEASE, 'charts/zipjobs', '-n', RELEASE_NAMESPACE, ...flags], {
    input: JSON.stringify({ ...VALUES, ...values, image: { registry: REGISTRY, tag } }),
  });
  await untilPoliciesReady(cluster);
}

/** Uninstalls the release if there is one: the next test file may install it in another way. */
export async function uninstallFromNode(cluster: RealCluster): Promise<void> {
  const flags = ['--ignore-not-found', '--wait', '--timeout', '180s'];
  await cluster.helm(['uninstall', RELEASE, '-n', RELEASE_NAMESPACE, ...flags]);
}

interface Service {
  readonly spec: { readonly clusterIP: string; readonly ports: readonly { readonly port: number }[] };
}

/** The base URL of a Service of the release at its cluster address, which kube-proxy leads to a ready pod. */
export async function serviceUrl(cluster: RealCluster, component: 'api' | 'dashboard'): Promise<string> {
  const path = `/api/v1/namespaces/${RELEASE_NAMESPACE}/services/${RELEASE}-${component}`;
  const { spec } = await cluster.read<Service>(path);
  return `http://${spec.clusterIP}:${spec.ports[0]?.port}`;
}
