/** The deletion of projects and namespaces while jobs run, and the switch that pauses all jobs. */
import { expect } from 'chai';
import { ANNOTATIONS, PROJECT_NAME } from '#crds/api-group.ts';
import { type Condition, findCondition } from '#crds/conditions.ts';
import { askApi, postJob } from '#test/support/clients/api-client.ts';
import { adminApi, componentPods, metricOf, metricsOf } from '#test/support/processes/controller-pods.ts';
import { RELEASE_NAMESPACE } from '#test/support/processes/installation.ts';
import { until } from '#test/support/until.ts';
import { type Flow, startFlow } from '#test/support/worlds/flow.ts';

const LEASE = 'zipjobs-controller';

describe('deletion and pause', function () {
  this.timeout(300_000);
  const life = new AsyncDisposableStack();
  after(() => life.disposeAsync());

  const startIn = async (namespace: string): Promise<Flow> => life.use(await startFlow(namespace));
  const kubectl = async ({ cluster }: Flow, ...args: readonly string[]): Promise<string> =>
    (await cluster.kubectl(args)).stdout;

  /** A job whose source does not end. */
  const runningJob = async ({ hold, post, project }: Flow): Promise<string> => {
    const uuid = await post([{ url: hold().url, filename: 'a' }]);
    await project.untilPhase(uuid, ['Running']);
    return uuid;
  };
  const untilNoUpload = ({ project }: Flow): Promise<unknown> =>
    until('no upload to be open', async () => (await project.bucket.openUploads()).length === 0);

  it('deletes a ZipProject: revokes its tokens, cancels its jobs, and waits for its buckets', async () => {
    const namespace = 'project-leaves';
    const flow = await startIn(namespace);
    const uuid = await runningJob(flow);
    await kubectl(flow, 'delete', 'zipproject', PROJECT_NAME, '-n', namespace, '--wait=false');
    await until('the token to be revoked', async () => {
      const { status } = await askApi(flow.baseUrl, { path: `/v1/zips/${uuid}`, token: flow.project.token });
      return status === 401;
    });
    const { status } = await flow.project.untilPhase(uuid, ['Cancelled', 'Succeeded', 'Failed']);
    expect(status, JSON.stringify(status)).to.include({ phase: 'Cancelled', reason: 'Cancelled' });
    const ready = await until('the project to report that it waits only for its bucket', async () => {
      const text = await kubectl(flow, 'get', 'zipproject', PROJECT_NAME, '-n', namespace, '-o', 'json');
      const { status: seen } = JSON.parse(text) as { status: { conditions: Condition[] } };
      const condition = findCondition(seen.conditions, 'Ready');
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

  it('deletes a namespace quickly although a job runs in it, and leaves no incomplete upload (F14)', async () => {
    const namespace = 'namespace-leaves';
    const flow = await startIn(namespace);
    await runningJob(flow);
    await using api = await adminApi(flow.cluster);
    /** By the current leader. */
    const released = async (): Promise<number> => {
      const texts = componentPods(flow.cluster, 'controller').map((pod) => metricsOf(api, pod));
      const counts = (await Promise.all(texts)).map((text) =>
        metricOf(text, 'zip_finalizers_released_total', 'NamespaceTerminating'),
      );
      return counts.reduce((sum, count) => sum + count, 0);
    };
    const before = await released();
    await kubectl(flow, 'delete', 'namespace', namespace, '--timeout=120s');
    await untilNoUpload(flow);
    // Its job, its bucket and its project, unless one of them was deleted before.
    expect(await released()).to.be.greaterThan(before);
  });

  it('keeps new jobs waiting with a reason while everything is paused, and then runs them', async () => {
    const flow = await startIn('paused');
    const annotate = (value: string) =>
      kubectl(
        flow,
        'annotate',
        '--overwrite',
        'lease',
        LEASE,
        '-n',
        RELEASE_NAMESPACE,
        `${ANNOTATIONS.paused}${value}`,
      );
    await annotate('=incident 42');
    life.defer(async () => {
      await annotate('-');
    });
    const { project, origin, baseUrl } = flow;
    // The leader reads its Lease every second or two.
    const request = (key: string) => ({
      bucket_name: project.bucketName,
      key,
      urls: [{ url: origin.url('/drip/1/0/1/1'), filename: 'a' }],
    });
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
});
