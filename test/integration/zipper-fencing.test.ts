/**
 * Fencing of two pods of one job, one of which is unreachable: at most one publishes, and the status says
 * which.
 */
import { expect } from 'chai';
import { until } from '#test/support/until.ts';
import { startZipperWorld, type ZipperWorld } from '#test/support/worlds/zipper-world.ts';
import type { FaultAction } from '#tools/local-cluster/fault-proxy.ts';
import type { ProxiedRequest } from '#tools/local-cluster/proxied-request.ts';

const JOB_CONTROLLER = 'system:serviceaccount:kube-system:job-controller';

function isComplete({ method, path }: ProxiedRequest): boolean {
  return method === 'POST' && path.includes('uploadId=');
}

function isCreate({ method, path }: ProxiedRequest): boolean {
  return method === 'POST' && /[?&]uploads\b/.test(path);
}

interface PodObject {
  readonly metadata: {
    readonly annotations: Readonly<Record<string, string>>;
    readonly labels: Readonly<Record<string, string>>;
  };
  readonly spec: Readonly<Record<string, unknown>>;
}

describe('two zippers of one job', function () {
  this.timeout(300_000);
  let world: ZipperWorld;
  before(async () => {
    world = await startZipperWorld('zipper-fencing');
  });
  after(() => world[Symbol.asyncDispose]());
  afterEach(() => world.cluster.node.start());

  async function podNameOf(uuid: string): Promise<string> {
    return (await world.project.zipJob(uuid)).status?.job?.podName ?? '';
  }
  /** Stops the node and deletes the pod, like Kubernetes with pods of a node that is out of service. */
  async function loseNode(uuid: string): Promise<void> {
    await world.cluster.node.stop();
    const name = await podNameOf(uuid);
    const target = { type: 'DisruptionTarget', status: 'True', reason: 'DeletionByPodGC' };
    const patch = JSON.stringify({ status: { phase: 'Failed', conditions: [target] } });
    await world.kubectl('patch', 'pod', name, '--subresource=status', '--type=merge', '-p', patch);
    await world.kubectl('delete', 'pod', name, '--force', '--grace-period=0', '--wait=false');
  }
  function untilNotActive(uuid: string, podUid: string): Promise<unknown> {
    return until('the lost pod to be inactive', async () => {
      const { status } = await world.project.zipJob(uuid);
      return status?.attempts?.some((attempt) => attempt.podUid === podUid);
    });
  }
  function untilProcessEnded(podUid: string): Promise<unknown> {
    return until('the process of the lost pod to end', () =>
      world.cluster.node.pods().every(({ uid, containers }) => uid !== podUid || containers.length === 0),
    );
  }

  it('do not both publish: the one on a lost node keeps running, the other one publishes (F10) (F12)', async () => {
    let completes = 0;
    function storeFault(request: ProxiedRequest): undefined {
      completes += isComplete(request) ? 1 : 0;
    }
    const held = world.hold();
    const uuid = await world.start([held.url], { storeFault });
    const podUid = await world.untilUploading(uuid);
    await loseNode(uuid);
    await untilNotActive(uuid, podUid);
    held.release();
    await untilProcessEnded(podUid);
    expect(completes).to.equal(0);
    expect(await world.project.bucket.exists(`${uuid}.zip`)).to.equal(false);
    await world.cluster.node.start();
    const { status } = await world.untilEnd(uuid);
    expect(status, JSON.stringify(status)).to.include({ phase: 'Succeeded', attemptsTotal: 2 });
    expect(status?.attempts?.[0]).to.include({ podUid, class: 'disruption' });
    expect(completes).to.equal(1);
    expect(await world.project.bucket.size(`${uuid}.zip`)).to.equal(status?.result?.bytes);
    await world.untilNoOpenUploads();
  });

  it('keep the archive of the one whose node was lost between Complete and its response (F11) (F28)', async () => {
    let podUid = '';
    const completed = Promise.withResolvers<void>();
    function kill(): void {
      world.cluster.node.kill(podUid, 'SIGKILL');
      completed.resolve();
    }
    function storeFault(request: ProxiedRequest): FaultAction | undefined {
      return isComplete(request) ? { kind: 'kill', kill } : undefined;
    }
    const held = world.hold();
    const uuid = await world.start([held.url], { storeFault });
    podUid = await world.untilUploading(uuid);
    await world.cluster.node.stop();
    held.release();
    await completed.promise;
    await loseNode(uuid);
    await untilNotActive(uuid, podUid);
    await world.cluster.node.start();
    const { status } = await world.untilEnd(uuid);
    expect(status, JSON.stringify(status)).to.include({ phase: 'Succeeded', reason: 'VerifiedInStore' });
    expect(status?.upload?.archive).to.include({ entries: 1 });
    expect(status?.result).to.deep.include({ ...status?.upload?.archive });
    expect(await world.project.bucket.size(`${uuid}.zip`)).to.equal(status?.result?.bytes);
    await world.untilNoOpenUploads();
  });

  it('run at once: the inactive one uploads nothing and ends (F12) (K1)', async () => {
    let creates = 0;
    function storeFault(request: ProxiedRequest): undefined {
      creates += isCreate(request) ? 1 : 0;
    }
    const held = world.hold();
    const uuid = await world.start([held.url], { storeFault });
    const podUid = await world.untilUploading(uuid);
    const name = await podNameOf(uuid);
    const { metadata, spec } = JSON.parse(await world.kubectl('get', 'pod', name, '-o', 'json')) as PodObject;
    const job = JSON.parse(await world.kubectl('get', 'job', `zip-${uuid}`, '-o', 'json')) as {
      metadata: { uid: string };
    };
    const task = JSON.parse(metadata.annotations['zipjobs.dev/task'] ?? '') as object;
    const { nodeName: _node, ...same } = spec;
    const owner = { apiVersion: 'batch/v1', kind: 'Job', name: `zip-${uuid}`, uid: job.metadata.uid };
    const twin = {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: {
        name: `${name}-twin`,
        namespace: world.project.namespace,
        ownerReferences: [owner],
        // Without those that would make the Job controller delete it.
        labels: Object.fromEntries(
          Object.entries(metadata.labels).filter(([label]) => label.startsWith('app.kubernetes.io/')),
        ),
        annotations: { 'zipjobs.dev/task': JSON.stringify({ ...task, startDeadlineSeconds: 1 }) },
      },
      spec: same,
    };
    await world.cluster.kubectl(['create', '-f', '-', `--as=${JOB_CONTROLLER}`], {
      input: JSON.stringify(twin),
    });
    await world.kubectl(
      'wait',
      `pod/${name}-twin`,
      '--for=jsonpath={.status.phase}=Failed',
      '--timeout=120s',
    );
    const end = '{.status.containerStatuses[0].state.terminated.exitCode}';
    expect(await world.kubectl('get', 'pod', `${name}-twin`, '-o', `jsonpath=${end}`)).to.equal('34');
    held.release();
    const { status } = await world.untilEnd(uuid);
    expect(status, JSON.stringify(status)).to.include({ phase: 'Succeeded', attemptsTotal: 1 });
    expect(status?.attempts?.[0]).to.include({ podUid });
    expect(creates).to.equal(1);
  });
});
