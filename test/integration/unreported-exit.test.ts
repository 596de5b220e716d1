/** A zipper writes its result, but neither its node nor the Job controller reports that its pod has exited. */
import { expect } from 'chai';
import { hasActivePod } from '#crds/zip-job.ts';
import { postJob } from '#test/support/clients/api-client.ts';
import { until } from '#test/support/until.ts';
import { type Flow, startFlow } from '#test/support/worlds/flow.ts';
import type { AddedNode } from '#tools/local-cluster/cluster-types.ts';
import type { Pod } from '#tools/local-cluster/node-agent/pod-types.ts';

const NAMESPACE = 'unreported-exit';
const KEY = 'shared.zip';
const LIMIT = { limitMs: 120_000, intervalMs: 100 };

describe('a job whose pod has not been reported to exit', function () {
  this.timeout(300_000);
  let flow: Flow;
  let silent: AddedNode;
  let paused: Disposable | undefined;
  let first: string;

  function post(url: string): Promise<string> {
    return postJob(flow.baseUrl, flow.project.token, {
      bucket_name: flow.project.bucketName,
      key: KEY,
      urls: [{ url, filename: 'a' }],
    });
  }
  async function statusOf(uuid: string) {
    return (await flow.project.zipJob(uuid)).status ?? {};
  }

  before(async () => {
    flow = await startFlow(NAMESPACE);
    silent = await flow.cluster.addNode('silent');
    const held = flow.hold();
    await flow.kubectl('cordon', flow.cluster.node.name);
    try {
      first = await post(held.url);
      const { status } = await flow.project.untilPhase(first, ['Running'], LIMIT.limitMs);
      expect(status?.job?.node).to.equal(silent.agent.name);
    } finally {
      await flow.kubectl('uncordon', flow.cluster.node.name);
    }
    await silent.agent.stop();
    paused = flow.cluster.pauseControllers();
    held.release();
  });
  after(async () => {
    paused?.[Symbol.dispose]();
    await silent.remove();
    await flow[Symbol.asyncDispose]();
  });

  it('succeeds and sends its webhook while the Job controller is paused (F34)', async () => {
    const { deliveries } = flow.receiver;
    await until('its webhook', () => deliveries.some(({ body }) => body.includes(first)), LIMIT);
    const { attempts, job, ...status } = await statusOf(first);
    expect(status).to.include({ phase: 'Succeeded', apiStatus: 'succeeded', reason: 'Uploaded' });
    expect(attempts, 'the attempt is not recorded yet').to.equal(undefined);
    const pod = await flow.cluster.read<Pod>(`/api/v1/namespaces/${NAMESPACE}/pods/${job?.podName ?? ''}`);
    expect(pod.metadata.uid).to.equal(job?.podUid);
    expect(pod.status?.phase).to.equal('Running');
  });

  it('keeps its slot and its key until its pod is gone, and then records the attempt (F34)', async () => {
    const second = await post(flow.origin.url('/gen/1000/1'));
    await until(
      'the next job to wait',
      async () => (await statusOf(second)).reason === 'OlderJobFirst',
      LIMIT,
    );
    const before = await statusOf(first);
    await silent.agent.start();
    const after = await until(
      'the attempt to be recorded',
      async () => {
        const zipJob = await flow.project.zipJob(first);
        return !hasActivePod(zipJob) && zipJob.status;
      },
      LIMIT,
    );
    expect(after.attempts).to.have.length(1);
    expect(after.attempts?.[0]).to.include({ podUid: before.job?.podUid, class: 'success', exitCode: 0 });
    expect(after).to.include({ finishedAt: before.finishedAt, phase: 'Succeeded', attemptsTotal: 1 });
    paused?.[Symbol.dispose]();
    await flow.project.untilPhase(second, ['Succeeded'], LIMIT.limitMs);
  });
});
