/** The Grafana dashboard of the chart; test/long/grafana-panels.test.ts runs its queries. */
import { expect } from 'chai';
import { type Dashboard, dashboardOf, type Panel, panelsOf, rowsOf } from './grafana-panels.ts';
import { render, type Values } from './render.ts';
import { type Rule, rulesOf } from './rules.ts';

const ENABLED = {
  'dashboard.enabled': true,
  'monitoring.prometheusRule.enabled': true,
  'monitoring.dashboard.enabled': true,
};
const RUNBOOK = 'https://docs.example.com/on-call.md';

async function renderedDashboard(values: Values = {}): Promise<Dashboard> {
  return dashboardOf(await render({ ...ENABLED, ...values }));
}

/** Every cell of the 24 columns that a panel covers. */
function cellsOf({ gridPos: { x, y, w, h } }: Panel): readonly string[] {
  return Array.from({ length: w * h }, (_, cell) => `${x + (cell % w)},${y + Math.floor(cell / w)}`);
}

/** The number that an alert compares first; undefined if it compares nothing with a number. */
function thresholdOf({ expr }: Rule): number | undefined {
  const [, number] = / [<>]=? ([\d.]+)/.exec(expr) ?? [];
  return number === undefined ? undefined : Number(number);
}

function panelsOfAlert(dashboard: Dashboard, alert: string): readonly Panel[] {
  return panelsOf(dashboard).filter(({ description = '' }) => description.endsWith(`\n\nAlert: ${alert}`));
}

describe('the Grafana dashboard of the chart', function () {
  this.timeout(30 * 60_000);
  let dashboard: Dashboard;
  let rules: readonly Rule[];
  before(async () => {
    const objects = await render({
      ...ENABLED,
      'monitoring.prometheusRule.runbookUrl': RUNBOOK,
      'dashboard.url': 'https://zipjobs.example.com',
    });
    dashboard = dashboardOf(objects);
    rules = rulesOf(objects);
  });

  it('says in its first row whether zipjobs is healthy, and has a row for each part (Q-O2)', () => {
    const rows = rowsOf(dashboard);
    expect(rows.map(({ title }) => title)).to.deep.equal([
      'Is it healthy?',
      'Objectives',
      'Jobs',
      'Projects',
      'API',
      'Webhooks',
      'Controller',
      'Processes',
      'History',
      'Web dashboard',
    ]);
    const [health, ...others] = rows;
    expect(health?.panels.map(({ type }) => type)).to.deep.equal(Array<string>(12).fill('stat'));
    expect(health?.collapsed).to.equal(false);
    expect(rows.find(({ title }) => title === 'History')?.collapsed).to.equal(true);
    for (const { title, panels } of others) expect(panels.length, title).to.be.at.least(2);
  });

  it('shows each alert with its threshold and its runbook (Q-O2)', () => {
    for (const rule of rules) {
      const panels = panelsOfAlert(dashboard, rule.alert);
      expect(panels, `a panel of ${rule.alert}`).not.to.deep.equal([]);
      const threshold = thresholdOf(rule);
      for (const { title, links, fieldConfig } of panels) {
        expect(
          links?.map(({ url }) => url),
          title,
        ).to.deep.equal([`${RUNBOOK}#${rule.alert.toLowerCase()}`]);
        const values = fieldConfig?.defaults.thresholds.steps.map(({ value }) => value);
        if (threshold === undefined) continue;
        expect(
          values?.some((value) => value === threshold || value === 1 - threshold),
          `${title}: ${JSON.stringify(values)} has ${threshold}`,
        ).to.equal(true);
      }
      const lines = panels.filter(
        ({ fieldConfig }) => fieldConfig?.defaults.custom?.thresholdsStyle.mode === 'line',
      );
      if (threshold !== undefined) expect(lines, `a line of ${rule.alert}`).not.to.deep.equal([]);
    }
  });

  it('draws the line at the threshold of the values (Q-O2)', async () => {
    const changed = await renderedDashboard({
      'monitoring.prometheusRule.thresholds.ZipjobsHistoryLate': 42,
    });
    const steps = panelsOfAlert(changed, 'ZipjobsHistoryLate').map(
      ({ fieldConfig }) => fieldConfig?.defaults.thresholds.steps.at(-1)?.value,
    );
    expect(new Set(steps)).to.deep.equal(new Set([42]));
  });

  it('shows what the alert compares, so that both agree (Q-O2)', () => {
    for (const name of ['ZipjobsApiFails', 'ZipjobsHistoryLate', 'ZipjobsReconcilesFail']) {
      const { expr = '' } = rules.find(({ alert }) => alert === name) ?? {};
      const queries = panelsOfAlert(dashboard, name).flatMap(({ targets = [] }) =>
        targets.map((target) => target.expr),
      );
      const [compared = ''] = expr.split(/ [<>] /);
      expect(
        queries.some((query) => query.includes(compared)),
        `${compared} in ${queries.join('\n')}`,
      ).to.equal(true);
    }
  });

  it('describes every panel, and gives it a place and legends of its own (Q-O2)', () => {
    const panels = panelsOf(dashboard);
    const ids = [...panels, ...rowsOf(dashboard)].map(({ id }) => id);
    expect(new Set(ids).size).to.equal(ids.length);
    for (const { title, description, targets = [], fieldConfig } of panels) {
      expect(description?.split('\n\n')[0], title).to.match(/^[A-Z0-9].*\.$/s);
      expect(fieldConfig?.defaults.unit, title).to.be.a('string');
      expect(targets, title).not.to.deep.equal([]);
      const legends = targets.map(({ legendFormat }) => legendFormat);
      expect(new Set(legends).size, title).to.equal(legends.length);
    }
    for (const { title, panels: inRow } of rowsOf(dashboard)) {
      const cells = inRow.flatMap(cellsOf);
      expect(new Set(cells).size, title).to.equal(cells.length);
      for (const { gridPos } of inRow) expect(gridPos.x + gridPos.w, title).to.be.at.most(24);
    }
  });

  it('links to the web dashboard and its projects, if the values have its address (Q-O10)', async () => {
    expect(dashboard.links.map(({ url }) => url)).to.deep.equal(['https://zipjobs.example.com', RUNBOOK]);
    const projects = panelsOf(dashboard).flatMap(({ fieldConfig }) => fieldConfig?.defaults.links ?? []);
    expect(new Set(projects.map(({ url }) => url))).to.deep.equal(
      new Set(['https://zipjobs.example.com/projects/${__field.labels.project}']),
    );
    const byHost = await renderedDashboard({
      trustedProxies: ['10.0.0.0/8'],
      'dashboard.ingress': { enabled: true, host: 'zips.example.com' },
    });
    expect(byHost.links[0]?.url).to.equal('https://zips.example.com');
    const without = await renderedDashboard();
    expect(without.links.map(({ title }) => title)).not.to.include('Web dashboard');
    expect(panelsOf(without).every(({ fieldConfig }) => fieldConfig?.defaults.links === undefined)).to.equal(
      true,
    );
  });

  it('has no figures of each project without monitoring.perProject (Q-O2)', async () => {
    const without = panelsOf(await renderedDashboard({ 'monitoring.perProject': false }));
    expect(without.filter(({ type }) => type === 'bargauge')).to.deep.equal([]);
    expect(without.map(({ title }) => title)).to.include('Stored jobs');
  });

  it('lets users choose the data source and the projects (Q-O2)', () => {
    expect(dashboard.templating.list.map(({ name }) => name)).to.deep.equal(['datasource', 'project']);
    const chosen = panelsOf(dashboard).filter(({ targets = [] }) =>
      targets.some(({ expr }) => expr.includes('project=~"$project"')),
    );
    expect(chosen.length).to.be.above(5);
  });
});
