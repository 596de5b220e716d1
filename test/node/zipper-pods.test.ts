/** Zipper pods among what else a cluster has: Services, webhooks, a kubelet that refuses, and keys that are rotated. In this order. */
import { expect } from 'chai';
import { bucketResourceName, bucketSecretName, ZIPPER_CONTAINER } from '#crds/api-group.ts';
import { findCondition } from '#crds/conditions.ts';
import type { ZipJob } from '#crds/zip-job.ts';
import { RELEASE_NAMESPACE } from '#test/support/processes/installation.ts';
import type { Patch } from '#test/support/servers/mutating-webhook.ts';
import { type RotatingStore, startRotatingStore } from '#test/support/servers/rotating-store.ts';
import { until } from '#test/support/until.ts';
import { type PodWebhook, startPodWebhook } from '#test/support/worlds/pod-webhook.ts';
import { realCluster, requireNode } from '#test/support/worlds/real-cluster.ts';
import {
  type FinishedJob,
  type HeldJob,
  type RealFlow,
  startRealFlow,
} from '#test/support/worlds/real-flow.ts';
import { installOnNode, uninstallFromNode } from '#test/support/worlds/real-installation.ts';
import { testBucket } from '#test/support/worlds/test-bucket.ts';
import type { StoreAccess } from '#tools/local-cluster/cluster-types.ts';
import { createBucket } from '#tools/local-cluster/store.ts';
import { environmentsIn, killContainer, runningContainers } from '#tools/real-node/containers.ts';
import { IMAGE_TAG, REGISTRY } from '#tools/real-node/images.ts';
import { SANDBOX_IMAGE } from '#tools/real-node/node-files.ts';
import { outsideUrl, type RealCluster } from '#tools/real-node/real-cluster.ts';

const LIMIT_MS = 240_000;
const SIDECAR = 'log-agent';
const ROTATING = 'rotating-keys';
/** Links of the first two would set HISTORY_PORT and ADMIN_PORT. */
const SERVICES = ['history', 'admin', ...Array.from({ length: 100 }, (_, index) => `service-${index}`)];

function service(namespace: string, name: string) {
  return {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { namespace, name },
    spec: { ports: [{ port: 80 }] },
  };
}

function keysOf({ project }: RealFlow, { accessKeyId, secretAccessKey }: StoreAccess) {
  const name = bucketSecretName(bucketResourceName('s3', project.bucketName));
  const stringData = { accessKeyId, secretAccessKey };
  return { apiVersion: 'v1', kind: 'Secret', metadata: { namespace: project.namespace, name }, stringData };
}

/** A container that ignores SIGTERM, like every process 1 without a handler. */
function withContainer(name: string): Patch {
  const securityContext = {
    allowPrivilegeEscalation: false,
    capabilities: { drop: ['ALL'] },
    runAsNonRoot: true,
    runAsUser: 65_534,
    seccompProfile: { type: 'RuntimeDefault' },
  };
  return [{ op: 'add', path: '/spec/containers/-', value: { name, image: SANDBOX_IMAGE, securityContext } }];
}

/** Bypasses the scheduler, like a node whose labels change after a pod was placed. */
function withOtherLabels(node: string): Patch {
  return [
    { op: 'add', path: '/spec/nodeName', value: node },
    { op: 'add', path: '/spec/nodeSelector', value: { 'example.com/disk': 'none' } },
  ];
}

function withField(name: string, value: unknown): Patch[number] {
  return { op: 'add', path: `/spec/containers/0/${name}`, value };
}

describe('zipper pods on a real node', function () {
  this.timeout(LIMIT_MS);
  const life = new AsyncDisposableStack();
  let cluster: RealCluster;

  before(async function () {
    requireNode(this);
    cluster = await realCluster();
  });
  after(() => life.disposeAsync());

  async function kubectl({ project }: RealFlow, ...args: readonly string[]): Promise<string> {
    return (await cluster.kubectl(['-n', project.namespace, ...args])).stdout.trim();
  }

  function podOf(flow: RealFlow, uuid: string): Promise<string> {
    return kubectl(
      flow,
      'get',
      'pods',
      '-l',
      `job-name=zip-${uuid}`,
      '-o',
      'jsonpath={.items[0].metadata.name}',
    );
  }

  async function readyAfterTest({ project }: RealFlow) {
    const name = bucketResourceName('s3', project.bucketName);
    const { status } = await testBucket(cluster, project.namespace, name);
    return findCondition(status?.conditions, 'Ready');
  }

  function untilStatus(
    { project }: RealFlow,
    uuid: string,
    is: (status: NonNullable<ZipJob['status']>) => boolean,
  ): Promise<NonNullable<ZipJob['status']>> {
    return until(`the status of job ${uuid}`, async () => {
      const { status } = await project.zipJob(uuid);
      return status && is(status) && status;
    });
  }

  /** Starts a job that has an open upload, and waits for the rest of its source. */
  async function startUpload(flow: RealFlow, key: string): Promise<HeldJob> {
    const job = await flow.startHeldJob(key);
    await untilStatus(flow, job.uuid, ({ upload }) => upload?.state === 'open');
    return job;
  }

  let keys: RotatingStore;
  let rotating: RealFlow;
  let held: HeldJob;
  let finished: Promise<FinishedJob>;

  it('have no variables of Services, nor has any pod of the release (X44)', async () => {
    for (const name of [RELEASE_NAMESPACE, ROTATING]) {
      await cluster.apply([{ apiVersion: 'v1', kind: 'Namespace', metadata: { name } }]);
      await cluster.apply(SERVICES.map((one) => service(name, one)));
    }
    await installOnNode(cluster, IMAGE_TAG, { policies: { zipperSidecars: [SIDECAR] } });
    life.defer(() => uninstallFromNode(cluster));
    keys = life.use(await startRotatingStore());
    const store = { ...keys.store, endpoint: outsideUrl(keys.store.endpoint) };
    const world = { ...cluster, store, createBucket: (name: string) => createBucket(store, name) };
    rotating = life.use(await startRealFlow(world, ROTATING));
    held = await startUpload(rotating, 'rotated.zip');
    for (const containers of await Promise.all([RELEASE_NAMESPACE, ROTATING].map(environmentsIn))) {
      // Every pod has those of the API server.
      const names = containers.flat().flatMap((text) => /^(\w+)_SERVICE_HOST=/.exec(text)?.[1] ?? []);
      expect(new Set(names)).to.deep.equal(new Set(['KUBERNETES']));
    }
  });

  async function logOfHeld(): Promise<string> {
    return kubectl(rotating, 'logs', await podOf(rotating, held.uuid));
  }

  it('repeat requests whose keys the store rejects (X37)', async () => {
    const rotated = await keys.rotate();
    finished = held.finish();
    finished.catch(() => undefined);
    // The store may close the connection of a part before the zipper has read the response.
    const repeated = /the store rejects the keys of the bucket|retrying a request to the store/;
    await until('a repeated request', async () => repeated.test(await logOfHeld()));
    // The kubelet mounts them within two minutes, during the other tests.
    await cluster.apply([keysOf(rotating, rotated)]);
  });

  let flow: RealFlow;
  let failed: string;
  let succeeded: string;
  let recovered: HeldJob;

  describe('beside a sidecar', () => {
    before(async () => {
      flow = life.use(await startRealFlow(cluster, 'sidecars'));
      const webhook = life.use(await startPodWebhook(cluster, flow.project.namespace));
      webhook.change(() => withContainer(SIDECAR));
    });

    it('end their attempt with the zipper (X35)', async () => {
      failed = await flow.post('failed.zip', flow.origin.url('/missing'));
      succeeded = await flow.post('succeeded.zip', flow.origin.url('/gen/1000/1'));
      const { status } = await flow.project.untilPhase(failed, ['Succeeded', 'Failed']);
      expect(status).to.include({ phase: 'Failed', reason: 'SourceNotFound', attemptsTotal: 1 });
      expect(await runningContainers(await podOf(flow, failed))).to.have.length(1);
      await flow.project.untilPhase(succeeded, ['Succeeded']);
    });

    it('end a bucket test with the zipper (X35)', async () => {
      expect(await readyAfterTest(flow)).to.include({ status: 'True', reason: 'BucketTested' });
    });

    it('end a recovery with the zipper (X35)', async () => {
      recovered = await startUpload(flow, 'recovered.zip');
      await killContainer(await podOf(flow, recovered.uuid), ZIPPER_CONTAINER);
      const status = await untilStatus(
        flow,
        recovered.uuid,
        ({ conditions }) => findCondition(conditions, 'Recovered')?.reason === 'Recovered',
      );
      expect(status.attempts?.[0]).to.include({ class: 'transient', exitCode: 137 });
    });
  });

  describe('that a webhook changes', () => {
    let changed: RealFlow;
    let webhook: PodWebhook;

    before(async () => {
      // A rejected pod that counted would fail its job.
      changed = life.use(await startRealFlow(cluster, 'changed-pods', { jobDefaults: { maxAttempts: 1 } }));
      webhook = life.use(await startPodWebhook(cluster, changed.project.namespace));
    });

    function post(key: string): Promise<string> {
      return changed.post(key, changed.origin.url('/gen/1000/1'));
    }

    /** The status of a job that waits for this reason. The job is deleted. */
    async function waitFor(reason: string, key: string) {
      const uuid = await post(key);
      const status = await untilStatus(changed, uuid, (one) => one.reason === reason);
      await kubectl(changed, 'delete', 'zipjob', `zip-${uuid}`);
      return status;
    }

    it('are refused with a container that the operator did not name (X35)', async () => {
      webhook.change(() => withContainer('stranger'));
      const { message } = await waitFor('AdmissionRefused', 'refused.zip');
      expect(message).to.contain("added containers to a zipper's pod: stranger;");
    });

    it('cost no attempt if the kubelet rejects them (X42)', async () => {
      let created = 0;
      webhook.change(() => {
        created += 1;
        return created === 1 ? withOtherLabels(cluster.node.name) : [];
      });
      const uuid = await post('rejected.zip');
      const { status } = await changed.project.untilPhase(uuid, ['Succeeded', 'Failed']);
      expect(status).to.include({ phase: 'Succeeded', attemptsTotal: 2 });
      expect(status?.attempts?.[0]).to.include({ class: 'disruption', reason: 'NodeAffinity' });
      expect(status?.attempts?.[0]?.message).to.match(/node affinity/i);
    });

    it('report the words of a kubelet that creates no container (X49)', async () => {
      const image = `${REGISTRY}/missing:1`;
      webhook.change(() => [withField('image', image), withField('imagePullPolicy', 'Never')]);
      const { message } = await waitFor('ImagePull', 'no-image.zip');
      expect(message)
        .to.match(/^ErrImageNeverPull: .*is not present with pull policy of Never/)
        .and.contain(image);
    });

    it('report the words of a container runtime that cannot start the container (X49)', async () => {
      webhook.change(() => [withField('command', ['/missing'])]);
      const { status } = await changed.project.untilPhase(await post('no-program.zip'), [
        'Succeeded',
        'Failed',
      ]);
      const words = /StartError: .*"\/missing": stat \/missing: no such file or directory/;
      expect(status?.message).to.match(words);
      const ready = await readyAfterTest(changed);
      expect(ready).to.include({ status: 'False', reason: 'ContainerConfig' });
      expect(ready?.message).to.match(words);
    });
  });

  describe('that a sidecar keeps running', () => {
    it('are deleted 30 s later, and their Jobs count them as their zippers ended (X35)', async () => {
      for (const [uuid, condition] of [
        [failed, 'failed'],
        [succeeded, 'complete'],
      ] as const)
        await kubectl(flow, 'wait', `job/zip-${uuid}`, `--for=condition=${condition}`, '--timeout=90s');
      expect(
        await kubectl(
          flow,
          'get',
          'pods',
          '-l',
          `job-name in (zip-${failed},zip-${succeeded})`,
          '-o',
          'name',
        ),
      ).to.equal('');
      expect(await recovered.finish()).to.deep.equal({ attempts: 2 });
    });
  });

  describe('of a bucket with new keys', () => {
    it('continue with the keys that the kubelet mounts (X37)', async () => {
      expect(await finished).to.deep.equal({ attempts: 1 });
      const log = await kubectl(rotating, 'logs', await podOf(rotating, held.uuid));
      expect(log).to.contain('read new keys from the Secret of the bucket');
    });
  });
});
