/** A cache of the objects of a real API server, whose etcd is restored from a snapshot. */
import { expect } from 'chai';
import { LABELS } from '#crds/api-group.ts';
import { createKubeClient } from '#runtime/kube/client/client.ts';
import { createKubeConfig } from '#runtime/kube/client/kube-config.ts';
import { RESOURCES } from '#runtime/kube/resources.ts';
import { createReflector } from '#runtime/kube/watch/reflector.ts';
import { createLogger } from '#runtime/log/log.ts';
import { until } from '#test/support/until.ts';
import { startCluster } from '#tools/local-cluster/cluster.ts';
import type { Cluster } from '#tools/local-cluster/cluster-types.ts';

/** Caches keep our own labels only. */
const LABEL = LABELS.projectClass;

function settingsOf(cluster: Cluster) {
  return {
    kubeconfig: cluster.kubeconfigPath,
    serviceAccountDir: '',
    kubernetesHost: '',
    kubernetesPort: 443,
    kubeRequestTimeoutMs: 10_000,
  };
}

describe('a reflector of a real API server', function () {
  this.timeout(300_000);
  const life = new AsyncDisposableStack();
  after(() => life.disposeAsync());

  it('has what etcd has after a restore from a snapshot, while it runs (X36)', async () => {
    const cluster = life.use(await startCluster());
    async function namespace(name: string, verb: 'create' | 'delete'): Promise<void> {
      await cluster.kubectl([verb, 'namespace', name, ...(verb === 'delete' ? ['--wait=false'] : [])]);
      if (verb === 'create') await cluster.kubectl(['label', 'namespace', name, `${LABEL}=0`]);
    }
    const kube = life.use(
      createKubeClient({ access: await createKubeConfig(settingsOf(cluster)), requestTimeoutMs: 10_000 }),
    );
    const reasons: string[] = [];
    const namespaces = createReflector({
      kube,
      definition: RESOURCES.namespaces,
      labelSelector: LABEL,
      log: createLogger('test', { level: 'silent' }),
      metrics: {
        relisted: (_kind, reason) => reasons.push(reason),
        watchEnded: () => undefined,
        changesMissed: () => undefined,
        eventReceived: () => undefined,
      },
    });
    const stop = new AbortController();
    const running = namespaces.run(stop.signal);
    life.defer(async () => {
      stop.abort();
      await running;
    });
    /** Such as `kept 0`. */
    function known(): readonly string[] {
      return [...namespaces.values()].map(({ metadata }) => `${metadata.name} ${metadata.labels?.[LABEL]}`);
    }
    function untilKnown(...expected: readonly string[]) {
      return until(
        `the cache to have ${expected.join(', ')}`,
        () => known().length === expected.length && expected.every((one) => known().includes(one)),
        { limitMs: 60_000 },
      );
    }

    await namespace('kept', 'create');
    await namespace('deleted', 'create');
    await untilKnown('kept 0', 'deleted 0');
    const restore = await cluster.snapshotEtcd();
    await namespace('ghost', 'create');
    await cluster.kubectl(['label', 'namespace', 'kept', '--overwrite', `${LABEL}=1`]);
    await namespace('deleted', 'delete');
    await untilKnown('kept 1', 'ghost 0');

    await restore();
    await untilKnown('kept 0', 'deleted 0');
    expect(reasons.at(-1)).to.equal('Restored');
    await namespace('new', 'create');
    await cluster.kubectl(['label', 'namespace', 'kept', '--overwrite', `${LABEL}=2`]);
    await untilKnown('kept 2', 'deleted 0', 'new 0');
  });
});
