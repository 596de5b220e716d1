import { startCluster } from '#tools/local-cluster/cluster.ts';
import type { Cluster } from '#tools/local-cluster/cluster-types.ts';
import type { Pod } from '#tools/local-cluster/node-agent/pod-types.ts';

/** Images of small scripts that the cluster's own tests run as containers. */
const TEST_IMAGES = {
  'test-exits': 'test/support/processes/pods/exits.ts',
  'test-responses': 'test/support/processes/pods/responses.ts',
};

/** The URL of the API server for pods that start from now on, such as a proxy, their additional env, and their node's clock. */
export const podRoutes: {
  apiServerUrlFor?: ((pod: Pod) => string | undefined) | undefined;
  extraEnvFor?: ((pod: Pod) => Readonly<Record<string, string>>) | undefined;
  clockAheadMsFor?: ((pod: Pod) => number) | undefined;
} = {};

let started: Promise<Cluster> | undefined;

/** The one cluster of a test run, started on first use. Tests are isolated by namespaces. */
export function sharedCluster(): Promise<Cluster> {
  started ??= startCluster({
    images: TEST_IMAGES,
    jobBackoffMs: 1_000,
    log: (line) => process.stderr.write(`${line}\n`),
    apiServerUrlFor: (pod) => podRoutes.apiServerUrlFor?.(pod),
    extraEnvFor: (pod) => podRoutes.extraEnvFor?.(pod) ?? {},
    clockAheadMsFor: (pod) => podRoutes.clockAheadMsFor?.(pod) ?? 0,
  });
  return started;
}

/** Stops it if it was started. */
export async function stopSharedCluster(): Promise<void> {
  const cluster = await started?.catch(() => undefined);
  started = undefined;
  await cluster?.[Symbol.asyncDispose]();
}
