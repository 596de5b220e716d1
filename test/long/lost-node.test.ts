/**
 * A node that is lost permanently without an operator: Kubernetes evicts its pods, and cannot know whether
 * they still run.
 */
import { expect } from 'chai';
import { findCondition } from '#crds/conditions.ts';
import type { ZipJobStatus } from '#crds/zip-job.ts';
import type { HeldFile } from '#test/support/servers/held-files.ts';
import { until } from '#test/support/until.ts';
import { type OwnWorld, startZipperWorld, type ZipperWorld } from '#test/support/worlds/zipper-world.ts';
import type { AddedNode } from '#tools/local-cluster/cluster-types.ts';
import type { FaultAction } from '#tools/local-cluster/fault-proxy.ts';
import type { ProxiedRequest } from '#tools/local-cluster/proxied-request.ts';

/**
 * Until the node counts as lost, its pods are evicted, and their grace period and deletion timeout are over.
 */
const GIVEN_UP_LIMIT_MS = 300_000;

/** The source sends nothing until Kubernetes has evicted the pod. */
const LONG_TIMEOUTS = { SOURCE_IDLE_TIMEOUT_MS: String(GIVEN_UP_LIMIT_MS) };

function isComplete({ method, path }: Pick<ProxiedRequest, 'method' | 'path'>): boolean {
  return method === 'POST' && path.includes('uploadId=');
}

/** Pods tolerate a lost node for 30 s by default, and their grace period is 30 s, which would only make the test longer. */
const EVICTED_SOON = JSON.stringify({
  spec: {
    pods: {
      tolerations: [
        {
          key: 'node.kubernetes.io/unreachable',
          operator: 'Exists',
          effect: 'NoExecute',
          tolerationSeconds: 1,
        },
      ],
    },
  },
});

interface LostJob {
  readonly uuid: string;
  readonly podUid: string;
  readonly podName: string;
  readonly held: HeldFile;
}

describe('a node that is lost while its pods upload', function () {
  this.timeout(420_000);
  let world: ZipperWorld;
  let far: AddedNode;
  let continues: LostJob;
  let diesCommitting: LostJob;
  let cancelled: LostJob;
  let cancelledCommit: LostJob;
  /** Releases the Complete of `cancelledCommit`, and the status of the response to it. */
  const commit = Promise.withResolvers<void>();
  const lateComplete = Promise.withResolvers<number | undefined>();
  const completes: string[] = [];
  /** The pod that cannot reach the API server any more, only the store. */
  let cutOff = 'nobody';
  const completed = Promise.withResolvers<void>();

  async function statusOf({ uuid }: LostJob): Promise<ZipJobStatus> {
    return (await world.project.zipJob(uuid)).status ?? {};
  }
  async function startOnLostNode(
    storeFault: (request: ProxiedRequest) => FaultAction | undefined,
    more: OwnWorld = {},
  ) {
    const held = world.hold();
    function apiFault({ actor }: ProxiedRequest): FaultAction | undefined {
      return actor?.podUid === cutOff ? { kind: 'refuse' } : undefined;
    }
    const uuid = await world.start([held.url], { storeFault, apiFault, env: LONG_TIMEOUTS, ...more });
    const podUid = await world.untilUploading(uuid);
    const { job } = (await world.project.zipJob(uuid)).status ?? {};
    expect(job?.node).to.equal(far.agent.name);
    return { uuid, podUid, podName: job?.podName ?? '', held };
  }
  function countCompletes(request: ProxiedRequest): undefined {
    if (isComplete(request)) completes.push(request.path);
  }
  async function podsOf({ uuid }: LostJob): Promise<string> {
    return world.kubectl('get', 'pods', '-o', 'name', '-l', `batch.kubernetes.io/job-name=zip-${uuid}`);
  }
  function processesOf({ podUid }: LostJob): number {
    return far.agent.pods().find(({ uid }) => uid === podUid)?.containers.length ?? 0;
  }

  before(async () => {
    world = await startZipperWorld('lost-node');
    await world.kubectl('patch', 'zipproject', 'project', '--type=merge', '-p', EVICTED_SOON);
    far = await world.cluster.addNode('far');
    await world.kubectl('cordon', world.cluster.node.name);
    continues = await startOnLostNode(countCompletes);
    cancelled = await startOnLostNode(countCompletes);
    cancelledCommit = await startOnLostNode(
      (request) => (isComplete(request) ? { kind: 'hold', until: commit.promise } : undefined),
      { onStore: ({ request, status }) => void (isComplete(request) && lateComplete.resolve(status)) },
    );
    diesCommitting = await startOnLostNode((request) => {
      if (!isComplete(request)) return undefined;
      function kill(): void {
        far.agent.kill(diesCommitting.podUid, 'SIGKILL');
        completed.resolve();
      }
      return { kind: 'kill', kill };
    });
    await world.kubectl('uncordon', world.cluster.node.name);
    cancelledCommit.held.release();
    await until(
      'the job to commit',
      async () => (await statusOf(cancelledCommit)).upload?.state === 'committing',
    );
    await far.agent.stop();
    cutOff = continues.podUid;
    diesCommitting.held.release();
    await completed.promise;
  });
  after(async () => {
    await world.kubectl('uncordon', world.cluster.node.name);
    await far.remove();
    await world[Symbol.asyncDispose]();
  });

  it('does not delay a cancelled job, and its running pod publishes nothing (F10) (H4)', async () => {
    const { uuid } = cancelled;
    await world.kubectl('patch', 'zipjob', `zip-${uuid}`, '--type=merge', '-p', '{"spec":{"cancel":true}}');
    const { status } = await world.untilEnd(uuid);
    expect(status, JSON.stringify(status)).to.include({ phase: 'Cancelled', reason: 'Cancelled' });
    expect(findCondition(status?.conditions, 'Recovered')).to.include({
      status: 'True',
      reason: 'Recovered',
    });
    cancelled.held.release();
    await until('its process on the lost node to end', () => processesOf(cancelled) === 0);
    expect(await world.project.bucket.exists(`${uuid}.zip`)).to.equal(false);
  });

  it('does not delay a job that is cancelled while it commits, and its late Complete is refused (F10) (H4) (F32)', async () => {
    const { uuid } = cancelledCommit;
    await world.kubectl('patch', 'zipjob', `zip-${uuid}`, '--type=merge', '-p', '{"spec":{"cancel":true}}');
    const { status } = await world.untilEnd(uuid);
    expect(status, JSON.stringify(status)).to.include({ phase: 'Cancelled', reason: 'Cancelled' });
    commit.resolve();
    expect(await lateComplete.promise).to.be.within(400, 499);
    await until('its process on the lost node to end', () => processesOf(cancelledCommit) === 0);
    expect(await world.project.bucket.exists(`${uuid}.zip`)).to.equal(false);
  });

  it('is reported as unreachable by the job, and no other pod starts meanwhile (F10) (K3) (K4)', async () => {
    const pods = [continues.podName, diesCommitting.podName];
    await until(
      'Kubernetes to evict the pods',
      async () => {
        const path = 'jsonpath={.metadata.deletionTimestamp}';
        const times = await Promise.all(pods.map((name) => world.kubectl('get', 'pod', name, '-o', path)));
        return times.every((time) => time !== '');
      },
      { limitMs: GIVEN_UP_LIMIT_MS, intervalMs: 500 },
    );
    await world.kubectl('delete', 'pod', ...pods, '--grace-period=1', '--wait=false');
    const silent = await until(
      'the job to report the unreachable node',
      async () => findCondition((await statusOf(continues)).conditions, 'Waiting'),
      { limitMs: GIVEN_UP_LIMIT_MS, intervalMs: 500 },
    );
    expect(silent).to.include({ status: 'True', reason: 'NodeSilent' });
    expect(silent.message).to.contain(continues.podName).and.contain(far.agent.name);
    expect(await statusOf(continues)).to.include({
      phase: 'Running',
      reason: 'NodeSilent',
      attemptsTotal: 1,
    });
    expect((await podsOf(continues)).trim()).to.equal(`pod/${continues.podName}`);
    expect(processesOf(continues)).to.equal(1);
  });

  it('loses its pod to another node, and only the new pod publishes (F10) (F12)', async () => {
    const next = await until(
      'the next pod to upload',
      async () => {
        const { status } = await world.project.zipJob(continues.uuid);
        return (
          status?.attempts?.length === 1 && (await world.untilUploading(continues.uuid, continues.podUid))
        );
      },
      { limitMs: GIVEN_UP_LIMIT_MS, intervalMs: 500 },
    );
    continues.held.release();
    const { status } = await world.untilEnd(continues.uuid);
    expect(status, JSON.stringify(status)).to.include({ phase: 'Succeeded', attemptsTotal: 2 });
    const [first, second] = status?.attempts ?? [];
    expect(first).to.include({ podUid: continues.podUid, class: 'disruption', reason: 'PodLost' });
    expect(first?.upload).to.include({ state: 'open' });
    expect(second).to.include({ podUid: next, class: 'success' });
    // Until it reaches the API server again, it does not know that it is superseded, and publishes nothing.
    cutOff = 'nobody';
    await until('its process on the lost node to end', () => processesOf(continues) === 0);
    expect(completes.filter((path) => path.includes(continues.uuid))).to.have.length(1);
    expect(await world.project.bucket.size(`${continues.uuid}.zip`)).to.equal(status?.result?.bytes);
  });

  it('may hide a completed upload, which recovery finds in the store (F11)', async () => {
    const { status } = await world.untilEnd(diesCommitting.uuid);
    expect(status, JSON.stringify(status)).to.include({ phase: 'Succeeded', reason: 'VerifiedInStore' });
    expect(status?.attempts).to.have.length(1);
    expect(await world.project.bucket.size(`${diesCommitting.uuid}.zip`)).to.equal(status?.result?.bytes);
    await world.untilNoOpenUploads();
    expect(completes).to.have.length(1);
  });
});
