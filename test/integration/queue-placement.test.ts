/** A job in a queue with topology-aware scheduling. The test does what Kueue does, with the permissions of its controller. */
import { expect } from 'chai';
import type { Pod } from '#runtime/kube/resources.ts';
import { until } from '#test/support/until.ts';
import { startZipperWorld, type ZipperWorld } from '#test/support/worlds/zipper-world.ts';

const NAMESPACE = 'queue-placement';
const KUEUE = 'kueue-system:kueue-controller-manager';

describe('a job in a queue with topology-aware scheduling', function () {
  this.timeout(240_000);
  let world: ZipperWorld;
  before(async () => {
    world = await startZipperWorld(NAMESPACE);
    await world.kubectl('create', 'rolebinding', 'kueue', '--clusterrole=edit', `--serviceaccount=${KUEUE}`);
  });
  after(() => world[Symbol.asyncDispose]());

  function patchAsKueue(target: string, spec: unknown): Promise<string> {
    return world.kubectl(
      'patch',
      target,
      '--type=merge',
      `--as=system:serviceaccount:${KUEUE}`,
      '-p',
      JSON.stringify({ spec }),
    );
  }
  async function podsOf(uuid: string): Promise<readonly Pod[]> {
    const list = await world.kubectl('get', 'pods', '-l', `job-name=zip-${uuid}`, '-o', 'json');
    return (JSON.parse(list) as { items: readonly Pod[] }).items;
  }

  it('runs on the node that the queue selects, after the queue has removed the gate of its pod (X10)', async () => {
    const uuid = await world.start([world.origin.url('/gen/1000/1')], { spec: { queueName: 'night' } });
    const schedulingGates = [{ name: 'kueue.x-k8s.io/topology' }];
    await until('the queue to resume the Job', () =>
      patchAsKueue(`job/zip-${uuid}`, { suspend: false, template: { spec: { schedulingGates } } }),
    );
    const pod = await until('the gated pod', async () => (await podsOf(uuid))[0]);
    const gate = await until('the scheduler to see the gate', async () =>
      (await podsOf(uuid))[0]?.status?.conditions?.find(({ type }) => type === 'PodScheduled'),
    );
    expect(gate).to.include({ reason: 'SchedulingGated' });
    const nodeSelector = { 'kubernetes.io/hostname': world.cluster.node.name };
    await patchAsKueue(`pod/${pod.metadata.name}`, { schedulingGates: null, nodeSelector });
    const { status } = await world.untilEnd(uuid);
    expect(status, JSON.stringify(status)).to.include({ phase: 'Succeeded', attemptsTotal: 1 });
    expect((await podsOf(uuid))[0]?.spec).to.have.deep.property('nodeSelector', {
      'kubernetes.io/os': 'linux',
      ...nodeSelector,
    });
  });
});
