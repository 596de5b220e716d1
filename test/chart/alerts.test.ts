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
import { OBJECTIVE_ALERT_CASES, RECORDED, RECORDING_SERIES } from './objective-alert-cases.ts';
import { render } from './render.ts';
import { groupsOf, type Rule, type RuleGroup, rulesOf } from './rules.ts';

const run = promisify(execFile);

const CASES = [...ALERT_CASES, ...HISTORY_ALERT_CASES, ...OBJECTIVE_ALERT_CASES];
/** Labels that the scrape adds. */
const OURS = { job: 'zipjobs-system/zipjobs', namespace: 'zipjobs-system', pod: 'ours', component: 'api' };
const FOREIGN = { job: 'others/operator', namespace: 'others', pod: 'foreign', component: 'api' };

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

/** The text of an annotation of which only labels are inserted. */
function expand(text: string, labels: Readonly<Record<string, string>>): string {
  const { project } = labels;
  return text
    .replaceAll(
      /\{\{ if or \(not \$labels\.project\).*\{\{ end \}\}/g,
      project === undefined ? '-A' : `-n ${project}`,
    )
    .replaceAll(
      /\{\{ if and \$labels\.project .*\{\{ end \}\}/g,
      project === undefined ? '' : `/projects/${project}`,
    )
    .replaceAll(/\{\{ \$labels\.(\w+) \}\}/g, (_, label: string) => labels[label] ?? '');
}

function promtoolTest(one: AlertCase, rule: Rule, { own, foreign, isFiring }: Setting) {
  const { labels = {} } = one;
  const { description, impact } = own;
  const alert = {
    exp_labels: { ...labels, ...rule.labels },
    exp_annotations: {
      ...Object.fromEntries(
        Object.entries(rule.annotations).map(([name, text]) => [name, expand(text, labels)]),
      ),
      ...(description !== undefined && { description }),
      ...(impact !== undefined && { impact }),
    },
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
  return [alert, labels?.['limit'] ?? labels?.['slo']].filter((word) => word !== undefined).join(' of ');
}

/** What promtool prints about failed tests; empty without any. */
function failureOf(file: string): Promise<string> {
  return run('promtool', ['test', 'rules', file]).then(
    () => '',
    (error: unknown) => {
      const { stdout, stderr } = error as { readonly stdout: string; readonly stderr: string };
      return `${stdout}${stderr}`;
    },
  );
}

describe('the alerts of the chart', function () {
  this.timeout(30 * 60_000);
  const life = new AsyncDisposableStack();
  let rules: readonly Rule[];
  let recording: readonly RuleGroup[];
  let metrics: readonly MetricFacts[];
  let dir: string;
  before(async function () {
    await requirePrograms(this, ['promtool']);
    const objects = await render({
      'monitoring.prometheusRule.enabled': true,
      'monitoring.prometheusRule.runbookUrl': 'https://docs.example.com/on-call.md',
      'dashboard.enabled': true,
      'dashboard.url': 'https://zips.example.com',
    });
    rules = rulesOf(objects);
    recording = groupsOf(objects).filter(({ interval }) => interval !== undefined);
    metrics = (await Promise.all((['controller', 'api', 'dashboard'] as const).map(metricsOf))).flat();
    dir = await mkdtemp(join(tmpdir(), 'zipjobs-alerts-'));
    life.defer(() => rm(dir, { recursive: true }));
  });
  after(() => life.disposeAsync());

  function expectExported({ name, labels = {} }: Series): void {
    const own = metrics.find(
      (metric) =>
        metric.name === name ||
        (metric.type === 'histogram' && metric.name === name.replace(/_(count|bucket|sum)$/, '')),
    );
    expect(own?.labels, name).to.have.members(Object.keys(labels).filter((label) => label !== 'le'));
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
      const needed = rule.expr.includes('zipjobs:') ? recording : [];
      await writeFile(
        join(dir, rulesFile),
        stringify({ groups: [...needed, { name: 'zipjobs', rules: [rule] }] }),
      );
      const tests = settings.map((setting) => promtoolTest(one, rule, setting));
      // Recording rules count on their interval.
      const interval = needed[0]?.interval ?? '1m';
      await writeFile(file, stringify({ rule_files: [rulesFile], evaluation_interval: interval, tests }));
      expect(await failureOf(file)).to.equal('');
    });

  it('all recording rules have the value that their name says, whatever others export (Q-P13)', async () => {
    const file = join(dir, 'recording.yaml');
    await writeFile(join(dir, 'recording-rules.yaml'), stringify({ groups: recording }));
    expect(Object.keys(RECORDED)).to.have.members([
      ...new Set(
        recording.flatMap(({ rules: all }) => all.map((rule) => ('record' in rule ? rule.record : ''))),
      ),
    ]);
    for (const series of RECORDING_SERIES) expectExported(series);
    const test = {
      interval: '1m',
      input_series: [OURS, FOREIGN].flatMap((scrape) =>
        RECORDING_SERIES.map((series) => written(series, scrape)),
      ),
      promql_expr_test: Object.entries(RECORDED).map(([name, samples]) => ({
        expr: `round(${name}, 0.001)`,
        eval_time: '30m',
        exp_samples: Object.entries(samples).map(([labels, value]) => ({
          labels: `{job="zipjobs-system/zipjobs", ${labels}}`,
          value,
        })),
      })),
    };
    await writeFile(
      file,
      stringify({ rule_files: ['recording-rules.yaml'], evaluation_interval: '30s', tests: [test] }),
    );
    expect(await failureOf(file)).to.equal('');
  });
});
