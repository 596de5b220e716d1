import type { Pod } from '#runtime/kube/resources.ts';
import type { NodelessCluster } from '#tools/local-cluster/cluster-types.ts';
import { type Patch, startMutatingWebhook } from '../servers/mutating-webhook.ts';
import { until } from '../until.ts';

/** A mutating admission webhook of the cluster, for the new pods of one namespace. */
export interface PodWebhook extends AsyncDisposable {
  /** How it changes pods from now on. */
  change(patchOf: (pod: Pod) => Patch): void;
}

/** A pod that Pod Security refuses, after the webhook was called. */
const PROBE = {
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: 'probe' },
  spec: { containers: [{ name: 'probe', image: 'probe' }] },
};

/** Starts it, and waits until the API server calls it. Without patches, it changes nothing. */
export async function startPodWebhook(cluster: NodelessCluster, namespace: string): Promise<PodWebhook> {
  await using started = new AsyncDisposableStack();
  let calls = 0;
  let current: (pod: Pod) => Patch = () => [];
  const webhook = started.use(
    await startMutatingWebhook<Pod>({
      name: 'pods',
      rule: { apiGroups: [''], resources: ['pods'], operations: ['CREATE'] },
      patchOf: (pod) => {
        calls += 1;
        return current(pod);
      },
    }),
  );
  const configuration = webhook.configurationFor(namespace);
  started.defer(async () => {
    await cluster.kubectl(['delete', 'mutatingwebhookconfiguration', configuration.metadata.name]);
  });
  await cluster.apply([configuration]);
  await until('the webhook to be called', async () => {
    await cluster.create(`/api/v1/namespaces/${namespace}/pods?dryRun=All`, PROBE).catch(() => undefined);
    return calls > 0;
  });
  const resources = started.move();
  return {
    change: (patchOf) => {
      current = patchOf;
    },
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  };
}
