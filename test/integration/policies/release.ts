import { type ControllerConfig, readControllerConfig } from '#controller/config/config.ts';
import { KUEUE_USER, RELEASE, RELEASE_NAMESPACE } from '#test/support/processes/installation.ts';
import type { Cluster } from '#tools/local-cluster/cluster-types.ts';

/** What the operator of this release allows for buckets without keys. */
export const ALLOWED_AUDIENCE = 'sts.example.com';
export const ALLOWED_STS_HOST = 'sts.example.com';

/** Installs or upgrades the chart without our processes, so that only the test changes objects. */
export function installWithoutPods(cluster: Cluster, ...flags: readonly string[]) {
  return cluster.helm([
    ...`upgrade --install ${RELEASE} charts/zipjobs --namespace ${RELEASE_NAMESPACE} --create-namespace
    --set image.registry=localhost,api.replicas=0,controller.replicas=0,dashboard.enabled=true,dashboard.replicas=0
    --set networkPolicies.enabled=true,networkPolicies.apiServerCidrs={127.0.0.1/32}
    --set policies.queueControllerUsers={${KUEUE_USER}}
    --set store.webIdentity.audiences={${ALLOWED_AUDIENCE}},store.webIdentity.stsHosts={${ALLOWED_STS_HOST}} --wait --timeout 200s`.split(
      /\s+/,
    ),
    ...flags,
  ]);
}

interface WithEnv {
  readonly spec: {
    readonly template: {
      readonly spec: { readonly containers: readonly [{ readonly env: readonly EnvVar[] }] };
    };
  };
}

interface EnvVar {
  readonly name: string;
  readonly value?: string;
}

/** The settings of the installed controller. */
export async function installedConfig(cluster: Cluster): Promise<ControllerConfig> {
  const path = `/apis/apps/v1/namespaces/${RELEASE_NAMESPACE}/deployments/zipjobs-controller`;
  const { spec } = await cluster.read<WithEnv>(path);
  const { env } = spec.template.spec.containers[0];
  const config = readControllerConfig({
    ...Object.fromEntries(env.map(({ name, value }) => [name, value])),
    POD_NAME: 'controller',
    POD_NAMESPACE: RELEASE_NAMESPACE,
  });
  const { zipperPod } = config;
  // No node has it: only the test assigns the pods.
  const nodeSelector = { 'policy-test': 'nowhere' };
  return { ...config, zipperPod: { ...zipperPod, spec: { ...zipperPod.spec, nodeSelector } } };
}
