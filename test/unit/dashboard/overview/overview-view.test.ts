import { expect } from 'chai';
import { clusterLinks, historyLinks } from '#dashboard/overview/job-links.ts';
import { currentTiles, periodView, successRate } from '#dashboard/overview/overview-view.ts';
import { clusterFigures, type PeriodFigures, slotsOf } from '#dashboard/overview/period-figures.ts';
import { DAY } from '#dashboard/overview/periods.ts';

const NOW = new Date('2026-05-04T12:34:56Z');
const HOUR = Date.parse('2026-05-04T11:00:00Z');

function exact(ms: number) {
  return { ms, fromMs: ms, toMs: ms };
}

const FIGURES: PeriodFigures = {
  total: { succeeded: 1_500, failed: 3, cancelled: 2, bytes: 5 * 1024 ** 3 },
  slots: slotsOf(DAY, NOW, [
    { fromMs: HOUR, succeeded: 1_500, failed: 3, cancelled: 0, bytes: 5 * 1024 ** 3 },
  ]),
  failures: [{ reason: 'SourceNotFound', count: 3 }],
  durations: { p50: exact(4_000), p95: exact(65_000) },
  recent: [
    { uid: 'uid', id: 'one', key: 'a.zip', reason: 'SourceNotFound', finishedAt: '2026-05-04T11:59:00Z' },
  ],
};

function view(figures: PeriodFigures, links = historyLinks('team-a')) {
  return periodView(figures, { namespace: 'team-a', period: DAY, links, now: NOW });
}

const since = '2026-05-03T13%3A00';

describe('the tiles of the overview', () => {
  it('have a number each, with the list of the jobs that it counts, or that lower a rate', () => {
    const tiles = view(FIGURES).tiles.map(({ name, value, href }) => [name, value, href]);
    const list = '/projects/team-a/history';
    expect(tiles).to.deep.equal([
      ['Success rate', '99.8 %', `${list}?state=Failed&from=${since}`],
      ['Succeeded', '1,500', `${list}?state=Succeeded&from=${since}`],
      ['Failed', '3', `${list}?state=Failed&from=${since}`],
      ['Cancelled', '2', `${list}?state=Cancelled&from=${since}`],
      ['Size of archives', '5.0 GiB', `${list}?state=Succeeded&from=${since}`],
      ['p50 duration', '4 s', `${list}?state=Succeeded&from=${since}`],
      ['p95 duration', '1 min 5 s', `${list}?state=Succeeded&from=${since}`],
    ]);
  });

  it('have a dash without jobs, and no charts', () => {
    const { tiles, charts, recent } = view(clusterFigures([], DAY, NOW));
    expect(tiles.map(({ value }) => value)).to.deep.equal(['–', '0', '0', '0', '0 B', '–', '–']);
    expect([charts, recent]).to.deep.equal([undefined, []]);
  });

  it('never round a success rate up to 100 %', () => {
    const sums = { cancelled: 0, bytes: 0 };
    expect(successRate({ ...sums, succeeded: 99_999, failed: 1 })).to.equal('99.9 %');
    expect(successRate({ ...sums, succeeded: 5, failed: 0 })).to.equal('100 %');
    expect(successRate({ ...sums, succeeded: 0, failed: 1 })).to.equal('0 %');
    expect(successRate({ ...sums, succeeded: 0, failed: 0, cancelled: 4 })).to.equal('–');
  });

  it('lead to the list of jobs in the cluster without a history', () => {
    const { tiles, charts } = view(FIGURES, clusterLinks('team-a'));
    expect(tiles[2]?.href).to.equal(`/projects/team-a/jobs?state=Failed&finished-from=${since}`);
    expect(JSON.stringify(charts)).to.contain(
      '?finished-from=2026-05-04T11%3A00&finished-to=2026-05-04T12%3A00',
    );
  });

  it('show the states of now, and the job that waits longest with its reason in words', () => {
    const phases = [
      { phase: 'Queued', count: 3 },
      { phase: 'Running', count: 1 },
    ] as const;
    const oldest = { name: 'zip-1', key: 'a.zip', reason: 'ImagePull', waitedMs: 90_000 };
    const tiles = currentTiles('team-a', { phases, oldestWaiting: oldest });
    expect(tiles.map(({ name, value, href }) => [name, value, href])).to.deep.equal([
      ['Queued', '3', '/projects/team-a/jobs?state=Queued'],
      ['Running', '1', '/projects/team-a/jobs?state=Running'],
      ['Oldest waiting', '1 min 30 s', '/projects/team-a/jobs/zip-1'],
    ]);
    expect(tiles.at(-1)?.note).to.equal('a.zip: The zipper image cannot be pulled.');
    const [none] = currentTiles('team-a', { phases: [], oldestWaiting: undefined });
    expect([none?.value, none?.note]).to.deep.equal(['–', 'Nothing waiting']);
  });
});

describe('failures on the overview', () => {
  it('have their reason in words, and link to the job and to all jobs with this reason', () => {
    const { failures, recent, allFailedHref } = view(FIGURES);
    expect(recent).to.deep.equal([
      {
        key: 'a.zip',
        finishedAt: '2026-05-04T11:59:00Z',
        code: 'SourceNotFound',
        reason: 'A source does not have the file, or refused to send it.',
        href: '/projects/team-a/jobs/one',
      },
    ]);
    expect(failures[0]?.href).to.equal(
      `/projects/team-a/history?state=Failed&reason=SourceNotFound&from=${since}`,
    );
    expect(allFailedHref).to.equal(`/projects/team-a/history?state=Failed&from=${since}`);
  });

  it('count the failed jobs whose reason is not in the list', () => {
    expect(view(FIGURES).moreFailures).to.equal(0);
    const failures = [{ reason: 'SourceNotFound', count: 1 }];
    expect(view({ ...FIGURES, failures }).moreFailures).to.equal(2);
  });

  it('keep a code that nobody explained', () => {
    const { failures } = view({ ...FIGURES, failures: [{ reason: 'Odd', count: 1 }] });
    expect(failures[0]?.reason).to.equal('Odd');
  });
});

describe('the charts of the overview', () => {
  it('have a table with a link for every number but zero', () => {
    const table = view(FIGURES).charts?.table;
    expect(table?.rows.length).to.equal(1);
    const [hour, good, bad, cancelled, bytes] = table?.rows[0] ?? [];
    const range = 'from=2026-05-04T11%3A00&to=2026-05-04T12%3A00';
    expect(hour).to.deep.equal({ text: '2026-05-04 11:00 UTC', href: `/projects/team-a/history?${range}` });
    expect(good).to.deep.include({ text: '1,500' });
    expect(bad).to.deep.equal({
      text: '3',
      href: `/projects/team-a/history?state=Failed&${range}`,
    });
    expect(cancelled).to.equal('0');
    expect(bytes).to.deep.include({ text: '5.0 GiB' });
  });

  it('have one scale each', () => {
    const charts = view(FIGURES).charts;
    expect(charts?.jobs.yTicks.at(-1)?.label).to.equal('2,000');
    expect(charts?.bytes.yTicks.at(-1)?.label).to.match(/^\d GiB$/);
    expect(charts?.jobs.unitLabel).to.equal('Jobs per hour');
  });
});
