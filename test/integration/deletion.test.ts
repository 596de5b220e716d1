/** The deletion of projects and namespaces while jobs run, and the switch that pauses all jobs. */
import { expect } from 'chai';
import { ANNOTATIONS, GROUP_VERSION, PROJECT_NAME } from '#crds/api-group.ts';
import { findCondition } from '#crds/conditions.ts';
import type { ZipProject } from '#crds/zip-project.ts';
import { askApi, postJob } from '#test/support/clients/api-client.ts';
import {
  adminApi,
  metricOf,
  metricsOf,
  untilTwoControllers,
} from '#test/support/processes/controller-pods.ts';
import { RELEASE_NAMESPACE } from '#test/support/processes/installation.ts';
import { until } from '#test/support/until.ts';
import { type Flow, startFlow } from '#test/support/worlds/flow.ts';
import { KubeApiError } from '#tools/local-cluster/kube-api.ts';

const LEASE = 'zipjobs-controller';

describe('deletion and pause', function () {
  this.timeout(300_000);
  const life = new AsyncDisposableStack();
  let flows: Readonly<Record<'project' | 'namespace' | 'paused', Flow>>;
  let uuid: string;
  let releasedBefore: number;
  // The deletions run at once, because most of the time is waiting.
  before(async () => {
    async function startIn(namespace: string): Promise<Flow> {
      return life.use(await startFlow(namespace));
    }
    const [project, namespace, paused] = await Promise.all([
      startIn('project-leaves'),
      startIn('namespace-leaves'),
      startIn('paused'),
    ]);
    flows = { project, namespace, paused };
    [uuid] = await Promise.all([runningJob(project), runningJob(namespace)]);
    releasedBefore = await released();
    await deleteIn(namespace, 'namespace', namespace.project.namespace);
    await deleteIn(project, 'zipproject', PROJECT_NAME);
  });
  after(() => life.disposeAsync());

  async function kubectl({ cluster }: Flow, ...args: readonly string[]): Promise<string> {
    return (await cluster.kubectl(args)).stdout;
  }

  /** A job whose source does not end. */
  async function runningJob({ hold, post, project }: Flow): Promise<string> {
    const uuid = await post([{ url: hold().url, filename: 'a' }]);
    await project.untilPhase(uuid, ['Running']);
    return uuid;
  }
  function untilNoUpload({ project }: Flow): Promise<unknown> {
    return until('no upload to be open', async () => (await project.bucket.openUploads()).length === 0);
  }

  async function deleteIn(
    { cluster, project }: Flow,
    ...target: readonly [kind: string, name: string]
  ): Promise<void> {
    await cluster.kubectl(['delete', ...target, '-n', project.namespace, '--wait=false']);
  }
  /** Finalizers that the current leader released because of a namespace. */
  async function released(): Promise<number> {
    const { cluster } = flows.namespace;
    await using api = await adminApi(cluster);
    const texts = (await untilTwoControllers(cluster)).map((pod) => metricsOf(api, pod));
    const counts = (await Promise.all(texts)).map((text) =>
      metricOf(text, 'zip_finalizers_released_total', 'NamespaceTerminating'),
    );
    return counts.reduce((sum, count) => sum + count, 0);
  }

  it('deletes a ZipProject: revokes its tokens, cancels its jobs, and waits for its buckets', async () => {
    const flow = flows.project;
    const { namespace } = flow.project;
    await until('the token to be revoked', async () => {
      const { status } = await askApi(flow.baseUrl, { path: `/v1/zips/${uuid}`, token: flow.project.token });
      return status === 401;
    });
    const { status } = await flow.project.untilPhase(uuid, ['Cancelled', 'Succeeded', 'Failed']);
    expect(status, JSON.stringify(status)).to.include({ phase: 'Cancelled', reason: 'Cancelled' });
    const ready = await until('the project to report that it waits only for its bucket', async () => {
      const path = `/apis/${GROUP_VERSION}/namespaces/${namespace}/zipprojects/${PROJECT_NAME}`;
      const { status: seen } = await flow.cluster.read<ZipProject>(path);
      const condition = findCondition(seen?.conditions, 'Ready');
      return condition?.reason === 'ProjectDeleting' && !condition.message.includes('zip-') && condition;
    });
    expect(ready.message).to.contain(`s3-${flow.project.bucketName}`);
    await kubectl(flow, 'delete', 'zipbucket', '--all', '-n', namespace, '--timeout=60s');
    await kubectl(
      flow,
      'wait',
      `zipproject/${PROJECT_NAME}`,
      '-n',
      namespace,
      '--for=delete',
      '--timeout=60s',
    );
    await untilNoUpload(flow);
  });

  it('keeps new jobs waiting with a reason while everything is paused, and then runs them', async () => {
    const flow = flows.paused;
    function annotate(value: string) {
      return kubectl(
        flow,
        'annotate',
        '--overwrite',
        'lease',
        LEASE,
        '-n',
        RELEASE_NAMESPACE,
        `${ANNOTATIONS.paused}${value}`,
      );
    }
    await annotate('=incident 42');
    life.defer(async () => {
      await annotate('-');
    });
    const { project, origin, baseUrl } = flow;
    // The leader reads its Lease every second or two.
    function request(key: string) {
      return {
        bucket_name: project.bucketName,
        key,
        urls: [{ url: origin.url('/drip/1/0/1/1'), filename: 'a' }],
      };
    }
    let tries = 0;
    const uuid = await until('a waiting job', async () => {
      tries += 1;
      const posted = await postJob(baseUrl, project.token, request(`paused-${tries}.zip`));
      const job = await project.untilPhase(posted, ['Queued', 'Succeeded']);
      return job.status?.phase === 'Queued' && posted;
    });
    const paused = await until('the reason', async () => {
      const { status } = await project.zipJob(uuid);
      return status?.reason === 'Paused' && status;
    });
    expect(paused.message).to.contain('incident 42');
    await annotate('-');
    await project.untilPhase(uuid, ['Succeeded']);
  });

  it('deletes a namespace quickly although a job runs in it, and leaves no incomplete upload (F14)', async () => {
    const flow = flows.namespace;
    await using api = await adminApi(flow.cluster);
    const path = `/api/v1/namespaces/${flow.project.namespace}`;
    let looks = 0;
    await until(
      'the namespace to be gone',
      async () => {
        looks += 1;
        // Kubernetes waits for half of the grace period of a pod, unless the namespace changes.
        const change = api.patch(path, { metadata: { annotations: { looks: String(looks) } } });
        return change.then(
          () => false,
          (error: unknown) => error instanceof KubeApiError && error.code === 404,
        );
      },
      { intervalMs: 1000 },
    );
    await untilNoUpload(flow);
    // Its job, its bucket and its project, unless one of them was deleted before.
    expect(await released()).to.be.greaterThan(releasedBefore);
  });
});
