/** No controller runs for ten minutes while jobs finish. */
import { expect } from 'chai';
import { GROUP_VERSION } from '#crds/api-group.ts';
import type { ZipJob } from '#crds/zip-job.ts';
import { startClusterTime } from '#test/support/processes/cluster-time.ts';
import { RELEASE_NAMESPACE } from '#test/support/processes/installation.ts';
import { deliveryId } from '#test/support/servers/webhook-receiver.ts';
import { until } from '#test/support/until.ts';
import { type Flow, startFlow } from '#test/support/worlds/flow.ts';

const NAMESPACE = 'controller-outage';
const JOBS = 3;
const OUTAGE_MS = 600_000;
const BAR_MS = 60_000;

describe('an outage of all controllers for ten minutes', function () {
  this.timeout(480_000);
  let flow: Flow;
  before(async () => {
    flow = await startFlow(NAMESPACE);
  });
  after(() => flow[Symbol.asyncDispose]());

  async function kubectl(...args: readonly string[]): Promise<string> {
    return (await flow.cluster.kubectl(args)).stdout;
  }
  function scale(replicas: number): Promise<string> {
    return kubectl(
      '-n',
      RELEASE_NAMESPACE,
      'scale',
      'deployment/zipjobs-controller',
      `--replicas=${replicas}`,
    );
  }
  async function phases(): Promise<string> {
    const path = `/apis/${GROUP_VERSION}/namespaces/${NAMESPACE}/zipjobs`;
    const { items } = await flow.cluster.read<{ readonly items: readonly ZipJob[] }>(path);
    return items.map(({ status }) => status?.phase ?? '').join(' ');
  }

  it('fails no job, and all webhooks arrive within a minute after it (F4)', async () => {
    const { cluster, post, project, receiver } = flow;
    const uuids: string[] = [];
    const held = flow.hold();
    for (let n = 0; n < JOBS; n += 1) uuids.push(await post([{ url: held.url, filename: 'a' }]));
    const allRun = Array.from({ length: JOBS }, () => 'Running').join(' ');
    await until('all jobs to run', async () => (await phases()) === allRun, { limitMs: 120_000 });
    await scale(0);
    await until(
      'the controllers to be gone',
      () => !cluster.node.pods().some(({ name }) => name.startsWith('zipjobs-controller-')),
    );
    held.release();
    await kubectl('-n', NAMESPACE, 'wait', 'jobs', '--all', '--for=condition=Complete', '--timeout=100s');
    expect(await phases(), 'no controller has recorded their end').to.equal(allRun);
    expect(receiver.deliveries).to.deep.equal([]);

    // No controller runs, so none has to be restarted.
    await using time = await startClusterTime(cluster);
    await time.round(OUTAGE_MS);
    await scale(2);
    await until(
      'the webhooks of all jobs',
      () => uuids.every((uuid) => receiver.deliveries.some(({ body }) => body.includes(uuid))),
      { limitMs: BAR_MS },
    );
    for (const uuid of uuids) {
      const { status } = await project.untilPhase(uuid, ['Succeeded']);
      expect(status?.attemptsTotal).to.equal(1);
    }
    expect(new Set(receiver.deliveries.map(deliveryId)).size).to.equal(JOBS);
  });
});
