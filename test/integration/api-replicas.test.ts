/** Several pods of the API: their limits without Redis, and the objects that the chart creates for them. */
import { expect } from 'chai';
import { fullPodTemplate } from '#test/support/builders/pod-fields.ts';
import { askApi } from '#test/support/clients/api-client.ts';
import { startApiProcess } from '#test/support/processes/api-process.ts';
import { type Flow, startFlow, untilTokenKnown } from '#test/support/worlds/flow.ts';

describe('replicas of the API', function () {
  this.timeout(180_000);
  let flow: Flow;
  before(async () => {
    flow = await startFlow('api-replicas');
  });
  after(() => flow[Symbol.asyncDispose]());

  it('apply each their share of the rate limits without Redis (X25)', async () => {
    await using api = await startApiProcess(flow.cluster, {
      env: { API_REPLICAS: '3', REQUESTS_PER_MINUTE_PER_TOKEN: '600' },
    });
    const { token } = flow.project;
    await untilTokenKnown(api.url, token);
    const { headers } = await askApi(api.url, {
      path: '/v1/zips/00000000-0000-4000-8000-000000000000',
      token,
    });
    expect(headers.get('ratelimit-policy')).to.match(/"token";q=200;w=60/);
  });

  it('are accepted by the API server with an autoscaler, a budget and every additional field (X25, X26)', async () => {
    const { cluster, project } = flow;
    const kinds = ['deployment', 'pod-disruption-budget', 'horizontal-pod-autoscaler'];
    const api = JSON.stringify({ podTemplate: fullPodTemplate('api'), autoscaling: { enabled: true } });
    const release = [
      'template',
      'several',
      'charts/zipjobs',
      '--namespace',
      project.namespace,
      '--set',
      'image.registry=localhost',
    ];
    const shown = kinds.flatMap((kind) => ['--show-only', `templates/api/${kind}.yaml`]);
    const { stdout } = await cluster.helm([...release, ...shown, '--set-json', `api=${api}`]);
    const create = ['create', '--dry-run=server', '--validate=strict', '-o', 'name', '-f', '-'];
    const created = await cluster.kubectl([...create, '-n', project.namespace], { input: stdout });
    expect(created.stdout.trim().split('\n').toSorted()).to.deep.equal([
      'deployment.apps/several-zipjobs-api',
      'horizontalpodautoscaler.autoscaling/several-zipjobs-api',
      'poddisruptionbudget.policy/several-zipjobs-api',
    ]);
  });
});
