/** The election of the leading controller with the Leases of a real API server. */
import { expect } from 'chai';
import { runAsLeader } from '#controller/reconciling/leader-election.ts';
import { createKubeClient, type KubeClient } from '#runtime/kube/client/client.ts';
import { createKubeConfig } from '#runtime/kube/client/kube-config.ts';
import { createObjectClient } from '#runtime/kube/client/object-client.ts';
import { RESOURCES } from '#runtime/kube/resources.ts';
import { createLogger } from '#runtime/log/log.ts';
import {
  adminApi,
  leadingPod,
  leaseHolder,
  untilTwoControllers,
} from '#test/support/processes/controller-pods.ts';
import { until } from '#test/support/until.ts';
import { sharedCluster } from '#test/support/worlds/shared-cluster.ts';
import { sharedInstallation } from '#test/support/worlds/shared-installation.ts';

const NAMESPACE = 'leader-handover';
const log = createLogger('test', { level: 'silent' });

describe('the leader election on a real API server', function () {
  this.timeout(180_000);
  let kube: KubeClient;

  before(async () => {
    const { kubeconfigPath } = await sharedCluster();
    const access = await createKubeConfig({
      kubeconfig: kubeconfigPath,
      serviceAccountDir: '',
      kubernetesHost: '',
      kubernetesPort: 443,
      kubeRequestTimeoutMs: 10_000,
    });
    kube = createKubeClient({ access, requestTimeoutMs: 10_000 });
    const metadata = { namespace: '', name: NAMESPACE };
    await createObjectClient(kube, RESOURCES.namespaces).create({ metadata });
  });

  after(async () => {
    await kube.request({ method: 'DELETE', path: `/api/v1/namespaces/${NAMESPACE}` });
    await kube[Symbol.asyncDispose]();
  });

  it('hands over the lead within one retry period after a release', async () => {
    const leases = createObjectClient(kube, RESOURCES.leases);
    const leading: string[] = [];
    let isReleased = false;
    let readsAfterRelease = 0;
    const watched: Pick<typeof leases, 'get' | 'create' | 'replace'> = {
      get: (...lease) => {
        if (isReleased) readsAfterRelease += 1;
        return leases.get(...lease);
      },
      create: (...lease) => leases.create(...lease),
      replace: async (lease, options) => {
        const replaced = await leases.replace(lease, options);
        isReleased ||= lease.spec?.holderIdentity === '';
        return replaced;
      },
    };
    const stops = new Map(['a', 'b'].map((identity) => [identity, new AbortController()]));
    const candidates = [...stops].map(([identity, { signal }]) =>
      runAsLeader({
        leases: watched,
        namespace: NAMESPACE,
        name: 'lead',
        identity,
        retryPeriodMs: 1_000,
        renewDeadlineMs: 60_000,
        // Longer than the test: only a release can hand over the Lease.
        leaseDurationMs: 600_000,
        signal,
        log,
        lead: (lost) => {
          leading.push(identity);
          return new Promise((resolve) => lost.addEventListener('abort', () => resolve()));
        },
      }),
    );
    const first = await until('a leader', () => leading[0]);
    await until('a renewal', async () => {
      const { acquireTime, renewTime } = (await leases.get(NAMESPACE, 'lead'))?.spec ?? {};
      return acquireTime !== renewTime;
    });
    expect(leading).to.deep.equal([first]);
    stops.get(first)?.abort();
    await until('the other candidate to lead', () => leading.length === 2);
    expect(readsAfterRelease, 'reads of the Lease, one retry period apart').to.be.at.most(1);
    for (const stop of stops.values()) stop.abort();
    await Promise.all(candidates);
    expect((await leases.get(NAMESPACE, 'lead'))?.spec?.holderIdentity ?? '').to.equal('');
  });

  it('is released by the leader of the chart when it receives SIGTERM', async () => {
    const cluster = await sharedCluster();
    await sharedInstallation();
    await using admin = await adminApi(cluster);
    await untilTwoControllers(cluster);
    const leader = await leadingPod(cluster, admin);
    const before = await leaseHolder(admin);
    expect(cluster.node.kill(leader.uid, 'SIGTERM')).to.equal(true);
    async function isOther(): Promise<boolean> {
      const holder = await leaseHolder(admin);
      return holder !== '' && holder !== before;
    }
    await until('another one to lead before the Lease would expire', isOther, { limitMs: 10_000 });
  });
});
