import { readFile } from 'node:fs/promises';
import { expect } from 'chai';
import { type MetricFacts, metricsOf } from '#scripts/sync-metrics.ts';
import { dashboardOf, panelsOf } from './grafana-panels.ts';
import { find, type KubeObject, podOf, render } from './render.ts';
import { recordingRulesOf, rulesOf } from './rules.ts';

const ENABLED = {
  'dashboard.enabled': true,
  'monitoring.podMonitor.enabled': true,
  'monitoring.podMonitor.labels.release': 'prometheus',
  'monitoring.prometheusRule.enabled': true,
  'monitoring.prometheusRule.runbookUrl': 'https://docs.example.com/on-call.md',
  'monitoring.dashboard.enabled': true,
};

interface Selector {
  readonly sample: string;
  readonly labels: readonly string[];
}

/** The parts of an expression that name no metric: groups of labels, ranges, functions, numbers and operators. */
const WITHOUT_METRICS =
  /\b(?:by|on)\s*\([^)]*\)|\[[^\]]*\]|\b\w+(?=\s*(?:\(|by\b))|\b(?:and|or|unless)\b|\b[\d.]+\b|[-+*/<>=!(),\s]/g;

/** The samples that an expression reads, each with the labels that it names. */
function selectorsOf(expression: string): readonly Selector[] {
  const selectors = [...expression.matchAll(/([\w:]+)\{([^}]*)\}/g)].map(
    ([, sample = '', matchers = '']): Selector => {
      expect(matchers, expression).to.match(/(^|,)job="zipjobs-system\/zipjobs"$/);
      return { sample, labels: [...matchers.matchAll(/(\w+)\s*[=!]/g)].map(([, label = '']) => label) };
    },
  );
  const rest = expression.replaceAll(/[\w:]+\{[^}]*\}/g, '').replaceAll(WITHOUT_METRICS, '');
  expect(rest, `every metric of ${expression} has a selector`).to.equal('');
  return selectors;
}

/** Labels that the scrape adds. */
const OF_THE_SCRAPE = ['pod', 'job', 'component'];

function groupsOf(expression: string): readonly string[] {
  return [...expression.matchAll(/\bby\s*\(([^)]*)\)/g)].flatMap(([, names = '']) =>
    names.split(',').map((name) => name.trim()),
  );
}

function exists(metrics: readonly MetricFacts[], { sample, labels }: Selector): boolean {
  return metrics.some(
    ({ name, type, labels: own }) =>
      (sample === name || (type === 'histogram' && sample.replace(/_(bucket|sum|count)$/, '') === name)) &&
      labels.every((label) => [...own, ...OF_THE_SCRAPE, 'le'].includes(label)),
  );
}

/** Metrics that prom-client adds to every process. */
const OF_NODE: readonly MetricFacts[] = [
  'process_resident_memory_bytes',
  'process_cpu_seconds_total',
  'process_start_time_seconds',
  'nodejs_eventloop_lag_p99_seconds',
  'nodejs_heap_size_used_bytes',
].map((name) => ({ name, type: 'gauge', labels: [], help: '' }));

/** Prometheus itself exports the state of alerts, without the labels of the scrape. */
const OF_PROMETHEUS = 'sum(ALERTS{';

function expectKnown(metrics: readonly MetricFacts[], expression: string): void {
  const selectors = selectorsOf(expression);
  expect(selectors, expression).not.to.be.empty;
  for (const selector of selectors)
    expect(exists(metrics, selector), `${selector.sample} in ${expression}`).to.equal(true);
  const known = metrics
    .filter(({ name }) => selectors.some(({ sample }) => sample.startsWith(name)))
    .flatMap(({ labels }) => labels);
  expect([...known, ...OF_THE_SCRAPE, 'le']).to.include.members([...groupsOf(expression)]);
}

describe('the monitoring of the chart', function () {
  this.timeout(30 * 60_000);
  let objects: readonly KubeObject[];
  let metrics: readonly MetricFacts[];
  before(async () => {
    objects = await render(ENABLED);
    const all = await Promise.all((['controller', 'api', 'dashboard'] as const).map(metricsOf));
    const recorded = recordingRulesOf(objects).map(({ record, labels }) => ({
      name: record,
      type: 'gauge',
      labels: Object.keys(labels),
      help: '',
    }));
    metrics = [...all.flat(), ...recorded];
  });

  it('is off by default, because clusters may lack its kinds', async () => {
    const titles = (await render()).map(({ kind, metadata }) => `${kind} ${metadata.name}`);
    expect(
      titles.filter((title) => /^(?:PrometheusRule|PodMonitor|ServiceMonitor|ConfigMap) /.test(title)),
    ).to.deep.equal(['ConfigMap zipjobs-release']);
  });

  it('scrapes the admin port of the API, the controller and the dashboard', () => {
    const monitor = find(objects, 'PodMonitor', 'zipjobs');
    expect(monitor.metadata.labels).to.include({ release: 'prometheus' });
    expect(JSON.stringify(monitor['spec'])).to.contain('"port":"admin"').and.to.contain('"path":"/metrics"');
    for (const component of ['api', 'controller', 'dashboard']) {
      expect(JSON.stringify(monitor['spec'])).to.match(new RegExp(`"regex":"[a-z|]*\\b${component}\\b`));
      const [container] = podOf(find(objects, 'Deployment', `zipjobs-${component}`)).containers;
      expect(container?.ports?.map(({ name }) => name)).to.include('admin');
    }
  });

  it('alerts only on metrics and labels of its own processes (X3)', () => {
    const rules = rulesOf(objects);
    expect(rules).to.have.length.at.least(8);
    const recorded = recordingRulesOf(objects).filter(({ expr }) => !expr.startsWith('vector('));
    expect(recorded).to.have.length.at.least(8);
    for (const { expr } of [...rules, ...recorded]) expectKnown(metrics, expr);
  });

  it('selects the series of another scrape configuration by its job (X3)', async () => {
    const given = await render({ ...ENABLED, 'monitoring.job': 'pods' });
    for (const { expr } of rulesOf(given))
      expect(expr).to.contain('job="pods"').and.not.contain('zipjobs-system');
    const monitor = JSON.stringify(find(given, 'PodMonitor', 'zipjobs')['spec']);
    expect(monitor).to.contain('{"targetLabel":"job","replacement":"pods"}');
    expect(JSON.stringify(find(objects, 'PodMonitor', 'zipjobs')['spec'])).to.contain(
      '{"targetLabel":"job","replacement":"zipjobs-system/zipjobs"}',
    );
  });

  it('looks for the leader of the Lease of its controllers (X3)', async () => {
    const named = await render({ ...ENABLED, fullnameOverride: 'archives' });
    const [controller] = podOf(find(named, 'Deployment', 'archives-controller')).containers;
    const lease = controller?.env?.find(({ name }) => name === 'LEASE_NAME')?.value;
    const rule = rulesOf(named, 'archives').find(({ alert }) => alert === 'ZipjobsNoLeader');
    expect(lease).to.be.a('string');
    expect(rule?.expr).to.contain(`name="${lease}",job="zipjobs-system/archives"`);
  });

  it('gives each alert a severity, a duration, what users notice, a first command and an existing runbook (Q-O1, Q-O6)', async () => {
    const headings = (await readFile('docs/on-call.md', 'utf8')).matchAll(/^#+ (.+)$/gm);
    const anchors = [...headings].map(([, title = '']) => title.toLowerCase().replaceAll(' ', '-'));
    for (const { alert, labels, annotations, for: time } of rulesOf(objects)) {
      expect(labels['severity'], alert).to.be.oneOf(['warning', 'critical']);
      expect(time, alert).to.match(/^\d+m$/);
      expect(anchors, alert).to.include(alert.toLowerCase());
      expect(annotations['runbook']).to.equal(`docs/on-call.md#${alert.toLowerCase()}`);
      expect(annotations['runbook_url']).to.equal(
        `https://docs.example.com/on-call.md#${alert.toLowerCase()}`,
      );
      for (const name of ['summary', 'description', 'impact'])
        expect(annotations[name], alert).to.match(/(\.|\{\{ end \}\})$/);
      for (const name of ['summary', 'description', 'impact'])
        for (const sentence of (annotations[name] ?? '').replaceAll(/\{\{[^}]*\}\}/g, '').split(/[.:] /))
          expect(sentence.split(' ').length, sentence).to.be.at.most(25);
      expect(annotations['command'], alert).to.match(/^kubectl /);
    }
  });

  it('links alerts to the docs of a release and to the web dashboard, if the chart knows them (Q-O1)', async () => {
    const [first] = rulesOf(await render({ 'monitoring.prometheusRule.enabled': true }));
    expect(first?.annotations).not.to.have.any.keys('runbook_url', 'dashboard_url');
    const values = {
      'monitoring.prometheusRule.enabled': true,
      'dashboard.enabled': true,
      trustedProxies: ['10.0.0.0/8'],
      'dashboard.httpRoute.enabled': true,
      'dashboard.httpRoute.parentRefs': [{ name: 'public' }],
      'dashboard.httpRoute.hostnames': ['zips.example.com'],
    };
    const rules = rulesOf(await render(values));
    const full = rules.find(({ alert }) => alert === 'ZipjobsProjectFull');
    expect(full?.annotations['dashboard_url']).to.match(
      /^https:\/\/zips\.example\.com\{\{.*\}\}\/projects\/\{\{ \$labels\.project \}\}/,
    );
  });

  it('has a ServiceMonitor instead of the PodMonitor, with the same labels and relabelings (X27)', async () => {
    const relabelings = [{ targetLabel: 'cluster', replacement: 'eu-1' }];
    const metricRelabelings = [{ sourceLabels: ['__name__'], regex: 'nodejs_.*', action: 'drop' }];
    function monitor(kind: string) {
      return { enabled: true, relabelings, metricRelabelings, labels: { release: kind } };
    }
    const byPod = await render({ 'monitoring.podMonitor': monitor('PodMonitor') });
    const byService = await render({ 'monitoring.serviceMonitor': monitor('ServiceMonitor') });
    const pods = find(byPod, 'PodMonitor', 'zipjobs')['spec'] as Record<string, unknown>;
    const services = find(byService, 'ServiceMonitor', 'zipjobs');
    const { endpoints, selector } = services['spec'] as Record<string, unknown>;
    expect(endpoints).to.deep.equal(pods['podMetricsEndpoints']);
    const [endpoint] = endpoints as readonly { relabelings: unknown[]; metricRelabelings: unknown[] }[];
    expect(endpoint?.relabelings).to.deep.include(relabelings[0]);
    expect(endpoint?.metricRelabelings).to.deep.equal(metricRelabelings);
    expect(services.metadata.labels).to.include({ release: 'ServiceMonitor' });
    const service = find(byService, 'Service', 'zipjobs-metrics');
    expect(service.metadata.labels).to.include((selector as { matchLabels: object }).matchLabels);
    expect(service['spec']).to.deep.include({
      ports: [{ name: 'admin', port: 9090, targetPort: 'admin', appProtocol: 'tcp' }],
    });
    const selected = (service['spec'] as { selector: Record<string, string> }).selector;
    for (const component of ['api', 'controller']) {
      const deployment = find(byService, 'Deployment', `zipjobs-${component}`);
      const template = (deployment['spec'] as { template: KubeObject }).template;
      expect(template.metadata.labels).to.include(selected);
    }
  });

  it('changes thresholds, leaves out alerts and adds rules (X27)', async () => {
    const additional = { alert: 'MyAlert', expr: 'vector(1)' };
    const rules = rulesOf(
      await render({
        'monitoring.prometheusRule.enabled': true,
        'monitoring.prometheusRule.thresholds': { ZipjobsFailureRatio: 0.5 },
        'monitoring.prometheusRule.disabled': ['ZipjobsPaused'],
        'monitoring.prometheusRule.additionalRules': [additional],
      }),
    );
    const byName = new Map(rules.map((rule) => [rule.alert, rule]));
    expect(byName.get('ZipjobsFailureRatio')?.expr).to.contain('> 0.5 and');
    expect(byName.has('ZipjobsPaused')).to.equal(false);
    expect(byName.get('MyAlert')).to.deep.equal(additional);
    expect(byName.size).to.equal(rulesOf(objects).length);
  });

  for (const [values, message] of [
    [{ 'monitoring.prometheusRule.disabled': ['ZipjobsTypo'] }, '"ZipjobsTypo", which is no alert'],
    [
      { 'monitoring.prometheusRule.thresholds': { ZipjobsApiDown: 1 } },
      '"ZipjobsApiDown", which is no alert with',
    ],
    [
      { 'monitoring.podMonitor.enabled': true, 'monitoring.serviceMonitor.enabled': true },
      'enable one of them',
    ],
  ] as const)
    it(`refuses ${Object.keys(values).join(' with ')} that has no effect (X27)`, async () => {
      const failure = await render(values).then(
        () => '',
        (error: unknown) => String(error),
      );
      expect(failure).to.contain(message);
    });

  it('has a dashboard that uses only metrics and labels of its own processes (X3)', () => {
    const queries = panelsOf(dashboardOf(objects)).flatMap(({ targets = [] }) => targets);
    expect(queries).to.have.length.at.least(80);
    for (const { expr } of queries)
      if (!expr.startsWith(OF_PROMETHEUS)) expectKnown([...metrics, ...OF_NODE], expr);
  });
});
