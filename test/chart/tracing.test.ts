/** Traces in the chart: which processes send them, with which Secret, and through which network policies. */
import { isDeepStrictEqual } from 'node:util';
import { expect } from 'chai';
import { find, type KubeObject, podOf, render, type Values } from './render.ts';

const SENDERS: readonly string[] = ['api', 'controller'];
const COLLECTOR = { ports: [{ protocol: 'TCP', port: 4318 }] };
const COMMON: Values = {
  'dashboard.enabled': true,
  'networkPolicies.enabled': true,
  'networkPolicies.apiServerCidrs': ['10.96.0.1/32'],
  'networkPolicies.tracingEgress': [COLLECTOR],
};
const TRACING: Values = {
  ...COMMON,
  'tracing.endpoint': 'http://otel-collector.monitoring:4318',
  'tracing.sampleRatio': 0.25,
  'tracing.existingSecret': 'zipjobs-tracing',
};

function egressOf(objects: readonly KubeObject[], component: string): readonly unknown[] {
  const policy = find(objects, 'NetworkPolicy', `zipjobs-${component}`);
  return (policy['spec'] as { readonly egress: readonly unknown[] }).egress;
}

describe('traces in the chart', function () {
  this.timeout(30 * 60_000);

  it('are off by default, and then nothing is mounted or opened (X28)', async () => {
    const objects = await render(COMMON);
    const deployments = objects.filter(({ kind }) => kind === 'Deployment');
    expect(JSON.stringify(deployments)).not.to.match(/TRACING|tracing/);
    for (const component of SENDERS) expect(egressOf(objects, component)).not.to.deep.include(COLLECTOR);
  });

  it('are sent by the API and the controller, with the headers of a Secret as a file and a rule for the collector (X28)', async () => {
    const objects = await render(TRACING);
    for (const component of ['api', 'controller', 'dashboard']) {
      const pod = podOf(find(objects, 'Deployment', `zipjobs-${component}`));
      const env = (pod.containers[0]?.env ?? []).filter(({ name }) => name.startsWith('TRACING_'));
      const isSender = SENDERS.includes(component);
      expect(Object.fromEntries(env.map(({ name, value }) => [name, value])), component).to.deep.equal(
        isSender
          ? {
              TRACING_ENDPOINT: 'http://otel-collector.monitoring:4318',
              TRACING_SAMPLE_RATIO: '0.25',
              TRACING_HEADERS_FILE: '/etc/zipjobs/tracing/headers',
            }
          : {},
      );
      const items = [{ key: 'headers', path: 'headers' }];
      const volumes = [{ name: 'tracing', secret: { secretName: 'zipjobs-tracing', items } }];
      const mounted = pod.volumes?.filter(({ name }) => name === 'tracing') ?? [];
      expect(mounted, component).to.deep.equal(isSender ? volumes : []);
      const isOpen = egressOf(objects, component).some((rule) => isDeepStrictEqual(rule, COLLECTOR));
      expect(isOpen, component).to.equal(isSender);
    }
  });
});
