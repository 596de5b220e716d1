/** Compares what the real processes export with the documentation. */
import { readFile } from 'node:fs/promises';
import { expect } from 'chai';
import { askApi, postJob } from '#test/support/clients/api-client.ts';
import { RELEASE_NAMESPACE } from '#test/support/processes/installation.ts';
import { until } from '#test/support/until.ts';
import { type Flow, startFlow } from '#test/support/worlds/flow.ts';
import type { Cluster } from '#tools/local-cluster/cluster-types.ts';
import { conditionStatus, type Pod } from '#tools/local-cluster/node-agent/pod-types.ts';

const NAMESPACE = 'scraped-project';
const ADMIN_PORT = 9090;

type Documented = ReadonlyMap<string, { readonly type: string; readonly labels: readonly string[] }>;

/** The table of one process in docs/metrics.md. */
async function documented(heading: string): Promise<Documented> {
  const text = await readFile('docs/metrics.md', 'utf8');
  const [, section = ''] = text.split(`## ${heading}\n`);
  const rows = (section.split('\n## ')[0] ?? '').matchAll(/^\| `(\w+)` \| (\w+) \| ([^|]*) \|/gm);
  return new Map(
    [...rows].map(([, name = '', type = '', labels = '']) => [
      name,
      { type, labels: [...labels.matchAll(/`(\w+)`/g)].map(([, label = '']) => label) },
    ]),
  );
}

/** The name of the metric that a sample belongs to. */
function metricOf(sample: string, types: ReadonlyMap<string, string>): string {
  const family = sample.replace(/_(bucket|sum|count)$/, '');
  return types.get(family) === 'histogram' ? family : sample;
}

function isOfNode(name: string): boolean {
  return /^(process|nodejs)_/.test(name);
}

function expectAsDocumented(text: string, table: Documented): void {
  const types = new Map(
    [...text.matchAll(/^# TYPE (\w+) (\w+)$/gm)].map(([, name = '', type = '']) => [name, type]),
  );
  const own = [...types].filter(([name]) => !isOfNode(name));
  expect(Object.fromEntries(own)).to.deep.equal(
    Object.fromEntries([...table].map(([name, { type }]) => [name, type])),
  );
  for (const [, sample = '', labels = ''] of text.matchAll(/^(\w+)(?:\{(.*)\})? \S+$/gm)) {
    if (isOfNode(sample)) continue;
    const names = [...labels.matchAll(/(\w+)="/g)]
      .map(([, name = '']) => name)
      .filter((name) => name !== 'le');
    expect(table.get(metricOf(sample, types))?.labels, sample).to.have.members(names);
  }
}

describe('the metrics of the release', function () {
  this.timeout(300_000);
  let flow: Flow;
  let cluster: Cluster;
  let uuid: string;
  before(async () => {
    flow = await startFlow(NAMESPACE);
    ({ cluster } = flow);
    const { baseUrl, project, origin } = flow;
    uuid = await postJob(baseUrl, project.token, {
      bucket_name: project.bucketName,
      key: 'canary-key.zip',
      urls: [{ url: `${origin.url('/gen/1000/1')}?canary-query=1`, filename: 'canary-file' }],
      metadata: { canary: 'canary-metadata' },
    });
    await askApi(baseUrl, { path: `/v1/zips/canary-path/${uuid}`, token: project.token });
    await askApi(baseUrl, { method: 'PROPFIND', path: `/v1/zips/${uuid}`, token: project.token });
    await project.untilPhase(uuid, ['Succeeded']);
    await until('the webhook delivery to be recorded', async () => {
      return (await project.zipJob(uuid)).status?.webhook?.state === 'Delivered';
    });
  });
  after(() => flow[Symbol.asyncDispose]());

  async function scrape(component: string): Promise<readonly string[]> {
    const selector = `app.kubernetes.io/component=${component}`;
    const flags = ['get', 'pods', '-n', RELEASE_NAMESPACE, '-l', selector];
    const { stdout } = await cluster.kubectl([...flags, '-o', 'json']);
    const { items } = JSON.parse(stdout) as { readonly items: readonly Pod[] };
    // Pods of an earlier rollout may still be ending.
    const serving = items.filter(
      (pod) => pod.metadata.deletionTimestamp === undefined && conditionStatus(pod, 'Ready') === 'True',
    );
    return Promise.all(
      serving.map(async ({ status }) =>
        (await fetch(`http://${status?.podIP}:${ADMIN_PORT}/metrics`)).text(),
      ),
    );
  }

  for (const component of ['controller', 'api'])
    it(`match the documented table by name, type and labels: the ${component}`, async () => {
      const table = await documented(`The ${component}`);
      expect(table.size).to.be.above(10);
      const texts = await scrape(component);
      expect(texts).not.to.be.empty;
      for (const text of texts) expectAsDocumented(text, table);
    });

  it('count the job that ran and contain no text of its tenant except the label project (P15, H9, Q-P13)', async () => {
    const text = [...(await scrape('controller')), ...(await scrape('api'))].join('\n');
    const own = `\\{project="${NAMESPACE}"`;
    for (const series of [
      `zip_jobs_finished_total${own},result="succeeded",reason="\\w+",fault="none"`,
      `zip_webhook_deliveries_total${own},outcome="2xx"`,
      `zip_api_requests_total${own},status="2xx"`,
    ])
      expect(text).to.match(new RegExp(`^${series}\\} [1-9]`, 'm'));
    expect(text).to.match(/^leader_election_master_status\{name="[\w-]+"\} 1$/m);
    expect(text).to.match(
      /^controller_runtime_reconcile_total\{controller="zipproject",result="success"\} /m,
    );
    const tenant = ['canary', uuid, NAMESPACE, new URL(flow.origin.url('/')).host];
    const lines = text.replaceAll(`project="${NAMESPACE}"`, '').split('\n');
    const leaking = lines.filter((line) => tenant.some((one) => line.includes(one)));
    expect(leaking).to.deep.equal([]);
  });

  it('are served on a port that serves nothing else (P15)', async () => {
    const response = await askApi(flow.baseUrl, { path: '/metrics' });
    expect(response.status).to.be.oneOf([401, 404]);
    expect(response.text).not.to.contain('zip_api');
  });
});
