/** A job whose pod is killed and whose first delivery fails, as a collector sees it. */
import { expect } from 'chai';
import { askApi } from '#test/support/clients/api-client.ts';
import { expectTrace } from '#test/support/expect-trace.ts';
import { installChart } from '#test/support/processes/installation.ts';
import { startTraceCollector, type TraceCollector } from '#test/support/servers/trace-collector.ts';
import { until } from '#test/support/until.ts';
import { type Flow, startFlow } from '#test/support/worlds/flow.ts';
import { sharedCluster } from '#test/support/worlds/shared-cluster.ts';
import { resetInstallation } from '#test/support/worlds/shared-installation.ts';

const TRACE_ID = '5bf92f3577b34da6a3ce929d0e0e4736';
/** Not sampled, which counts for nothing. */
const TRACEPARENT = `00-${TRACE_ID}-00f067aa0ba902b7-00`;

describe('the trace of a job', function () {
  this.timeout(300_000);
  const life = new AsyncDisposableStack();
  let collector: TraceCollector;
  let flow: Flow;
  let baseUrl: string;

  before(async () => {
    const cluster = await sharedCluster();
    flow = life.use(await startFlow('traces'));
    collector = life.use(await startTraceCollector());
    life.defer(resetInstallation);
    const tracing = { endpoint: collector.url, sampleRatio: 1 };
    const networkPolicies = {
      enabled: true,
      apiServerCidrs: ['127.0.0.1/32'],
      tracingEgress: [{ to: [{ ipBlock: { cidr: '127.0.0.0/8' } }] }],
    };
    baseUrl = await (await installChart(cluster, { tracing, networkPolicies })).apiUrl();
  });
  after(() => life.disposeAsync());

  it('shows the request, the lost pod, its recovery and both deliveries, and nothing that is secret (X28)', async () => {
    const { project, receiver, cluster } = flow;
    const held = flow.hold();
    const body = JSON.stringify({
      bucket_name: project.bucketName,
      key: 'canary-key.zip',
      urls: [{ url: `${held.url}?canary=1`, filename: 'canary-name' }],
      metadata: { canary: 'metadata' },
    });
    receiver.responses.push(500);
    const created = await askApi(baseUrl, {
      method: 'POST',
      path: '/v1/zips',
      token: project.token,
      headers: { traceparent: TRACEPARENT },
      body,
    });
    expect(created.status, created.text).to.equal(201);
    const uuid = created.body.data?.uuid ?? '';
    function uploading(other?: string): Promise<string> {
      return until(
        'a pod to upload',
        async () => {
          const { status } = await project.zipJob(uuid);
          const podUid = status?.job?.podUid;
          return (
            status?.upload?.state === 'open' &&
            status.progress?.podUid === podUid &&
            podUid !== other &&
            podUid
          );
        },
        { limitMs: 100_000 },
      );
    }
    const first = await uploading();
    expect(cluster.node.kill(first, 'SIGKILL')).to.equal(true);
    await uploading(first);
    held.release();
    const spans = await collector.trace(TRACE_ID, 'zip job', 'POST /v1/zips');

    expectTrace(spans);
    const names = spans.map(({ name }) => name);
    for (const [name, count] of [
      ['POST /v1/zips', 1],
      ['zip job', 1],
      ['queue', 1],
      ['start', 1],
      ['attempt', 2],
      ['recovery', 1],
      ['fetch', 1],
      ['upload', 1],
      ['webhook', 1],
      ['webhook delivery', 2],
    ] as const)
      expect(names.filter((one) => one === name).length, name).to.equal(count);
    const root = spans.find(({ name }) => name === 'POST /v1/zips');
    expect(root).to.include({ service: 'zipjobs-api', parentSpanId: '00f067aa0ba902b7' });
    const deliveries = spans.filter(({ name }) => name === 'webhook delivery');
    expect(deliveries.map(({ attributes }) => attributes['http.response.status_code'])).to.deep.equal([
      500, 204,
    ]);
    const sent = receiver.deliveries.map(({ headers }) => headers['traceparent']);
    expect(sent).to.deep.equal(deliveries.map(({ spanId }) => `00-${TRACE_ID}-${spanId}-01`));
    const secrets = [
      'canary',
      project.bucketName,
      project.token,
      new URL(held.url).host,
      new URL(receiver.url).host,
    ];
    expect(secrets.filter((secret) => collector.bodies.join('').includes(secret))).to.deep.equal([]);
    // Once, although two replicas have seen the job. Jobs of earlier tests may have a trace too, when they are deleted.
    const jobs = collector.spans.filter(({ name, traceId }) => name === 'zip job' && traceId === TRACE_ID);
    expect(jobs).to.have.lengthOf(1);
  });
});
