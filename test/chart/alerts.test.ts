/** Runs the alert rules of the chart with promtool, beside the series of another operator. */
import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { stringify } from 'yaml';
import { type MetricFacts, metricsOf } from '#scripts/sync-metrics.ts';
import { requirePrograms } from '#test/support/processes/require-programs.ts';
import { ALERT_CASES, type AlertCase, type Series, type Situation } from './alert-cases.ts';
import { HISTORY_ALERT_CASES } from './history-alert-cases.ts';
import { render } from './render.ts';
import { type Rule, rulesOf } from './rules.ts';

const run = promisify(execFile);

const CASES = [...ALERT_CASES, ...HISTORY_ALERT_CASES];
/** Labels that the scrape adds. */
const OURS = { job: 'zipjobs-system/zipjobs', namespace: 'zipjobs-system', pod: 'ours' };
const FOREIGN = { job: 'others/operator', namespace: 'others', pod: 'foreign' };

function written({ name, labels, values }: Series, scrape: Readonly<Record<string, string>>) {
  return {
    series: `${name}{${Object.entries({ ...labels, ...scrape })
      .map(([label, value]) => `${label}="${value}"`)
      .join(',')}}`,
    values,
  };
}

interface Setting {
  readonly own: Situation;
  readonly foreign: Situation | undefined;
  readonly isFiring: boolean;
}

function promtoolTest(one: AlertCase, rule: Rule, { own, foreign, isFiring }: Setting) {
  const { labels = {} } = one;
  function expand(text: string): string {
    return text.replaceAll(/\{\{ \$labels\.(\w+) \}\}/g, (_, label: string) => labels[label] ?? '');
  }
  const alert = {
    exp_labels: { ...labels, ...rule.labels },
    exp_annotations: Object.fromEntries(
      Object.entries(rule.annotations).map(([name, text]) => [name, expand(text)]),
    ),
  };
  return {
    name: `${one.alert}: ${own.says}; elsewhere: ${foreign?.says ?? 'nothing'}`,
    interval: '1m',
    input_series: [
      ...own.series.map((series) => written(series, OURS)),
      ...(foreign?.series ?? []).map((series) => written(series, FOREIGN)),
    ],
    alert_rule_test: [
      { eval_time: `${own.at ?? one.at}m`, alertname: one.alert, exp_alerts: isFiring ? [alert] : [] },
    ],
  };
}

function settingsOf({ fires, silent }: AlertCase): readonly Setting[] {
  return [
    ...fires.map((own) => ({ own, foreign: silent[0], isFiring: true })),
    ...silent.map((own) => ({ own, foreign: fires[0], isFiring: false })),
  ];
}

function titleOf({ alert, labels }: AlertCase): string {
  return [alert, labels?.['limit']].filter((word) => word !== undefined).join(' of ');
}

describe('the alerts of the chart', function () {
  this.timeout(30 * 60_000);
  const life = new AsyncDisposableStack();
  let rules: readonly Rule[];
  let metrics: readonly MetricFacts[];
  let dir: string;
  before(async function () {
    await requirePrograms(this, ['promtool']);
    const objects = await render({ 'monitoring.prometheusRule.enabled': true });
    rules = rulesOf(objects);
    metrics = (await Promise.all((['controller', 'api', 'dashboard'] as const).map(metricsOf))).flat();
    dir = await mkdtemp(join(tmpdir(), 'zipjobs-alerts-'));
    life.defer(() => rm(dir, { recursive: true }));
  });
  after(() => life.disposeAsync());

  function expectExported({ name, labels = {} }: Series): void {
    const own = metrics.find(
      (metric) =>
        metric.name === name || (metric.type === 'histogram' && metric.name === name.replace(/_count$/, '')),
    );
    expect(own?.labels, name).to.have.members(Object.keys(labels));
  }

  it('all have a case (X4)', () => {
    expect([...new Set(CASES.map(({ alert }) => alert))]).to.have.members(rules.map(({ alert }) => alert));
  });

  for (const [at, one] of CASES.entries())
    it(`${titleOf(one)} fires and is silent, whatever others export (X3, X4)`, async () => {
      const rule = rules.find(({ alert }) => alert === one.alert);
      if (rule === undefined) throw new Error(`the chart has no alert ${one.alert}`);
      const settings = settingsOf(one);
      for (const { series } of [...one.fires, ...one.silent]) series.forEach(expectExported);
      const file = join(dir, `test-${at}.yaml`);
      // Only its rule: promtool evaluates every rule of a file for every minute.
      const rulesFile = `rules-${at}.yaml`;
      await writeFile(join(dir, rulesFile), stringify({ groups: [{ name: 'zipjobs', rules: [rule] }] }));
      const tests = settings.map((setting) => promtoolTest(one, rule, setting));
      await writeFile(file, stringify({ rule_files: [rulesFile], evaluation_interval: '1m', tests }));
      const failure = await run('promtool', ['test', 'rules', file]).then(
        () => '',
        (error: unknown) => {
          const { stdout, stderr } = error as { readonly stdout: string; readonly stderr: string };
          return `${stdout}${stderr}`;
        },
      );
      expect(failure).to.equal('');
    });
});
