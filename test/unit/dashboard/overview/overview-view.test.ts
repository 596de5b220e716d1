import { expect } from 'chai';
import { clusterLinks, historyLinks } from '#dashboard/overview/job-links.ts';
import { currentView, periodView, successRate } from '#dashboard/overview/overview-view.ts';
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
  faults: { caller: 3, operator: 0 },
  countedAt: NOW.toISOString(),
  durations: { p50: exact(4_000), p95: exact(65_000) },
  recent: [
    { uid: 'uid', id: 'one', key: 'a.zip', reason: 'SourceNotFound', finishedAt: '2026-05-04T11:59:00Z' },
  ],
};

function view(figures: PeriodFigures, links = historyLinks('team-a')) {
  return periodView(figures, { namespace: 'team-a', period: DAY, links, now: NOW });
}

const since = '2026-05-03T13%3A00';

describe('the figures of the overview', () => {
  it('are four, with the list of the jobs that each counts, or that lower a rate (Q-U2)', () => {
    const figures = view(FIGURES).figures.map(({ name, text, href }) => [name, text, href]);
    const list = '/projects/team-a/history';
    expect(figures).to.deep.equal([
      ['Success rate', '99.8 %', `${list}?state=Failed&from=${since}`],
      ['Finished jobs', '1,505', `${list}?from=${since}`],
      ['Median duration', '4s', `${list}?state=Succeeded&from=${since}`],
      ['Archive size', '5.0 GiB', `${list}?state=Succeeded&from=${since}`],
    ]);
    const [rate, ended, duration] = view(FIGURES).figures;
    expect(rate?.notes).to.deep.equal([{ text: 'cancelled jobs excluded' }]);
    expect(ended?.notes).to.deep.equal([
      { text: '1,500 succeeded', href: `${list}?state=Succeeded&from=${since}` },
      { text: '3 failed', href: `${list}?state=Failed&from=${since}` },
      { text: '2 cancelled', href: `${list}?state=Cancelled&from=${since}` },
    ]);
    expect(duration?.notes).to.deep.equal([{ text: '95th percentile 1m 5s' }]);
  });

  it('are compared with the time before, and not without jobs at that time (Q-U2)', () => {
    function trends(earlier: PeriodFigures['earlier']) {
      return view({ ...FIGURES, earlier }).figures.map(({ trend }) => trend);
    }
    const total = { succeeded: 900, failed: 100, cancelled: 0, bytes: 5 * 1024 ** 3 };
    expect(trends({ total, durations: { p50: exact(5_000), p95: exact(65_000) } })).to.deep.equal([
      '+9.8 points',
      '+50 %',
      '−20 %',
      'no change',
    ]);
    const none = { succeeded: 0, failed: 0, cancelled: 0, bytes: 0 };
    for (const earlier of [undefined, { total: none }]) {
      expect(trends(earlier)).to.deep.equal(['', '', '', '']);
      expect(view({ ...FIGURES, earlier }).isCompared).to.equal(false);
    }
  });

  it('are red only above the threshold of the alert (Q-O9, Q-U10)', () => {
    function looks(succeeded: number, caller: number, operator: number) {
      const total = { succeeded, failed: caller + operator, cancelled: 0, bytes: 0 };
      return view({ ...FIGURES, total, faults: { caller, operator } }).figures.map(({ look }) => look);
    }
    expect(looks(10_000, 1, 1)).to.deep.equal(['', '', '', '']);
    expect(looks(0, 5, 5)).to.deep.equal(['', '', '', '']);
    expect(looks(8, 3, 0)).to.deep.equal(['bad', '', '', '']);
  });

  it('have a dash without jobs, and no charts', () => {
    const { figures, charts, recent } = view(clusterFigures([], DAY, NOW));
    expect(figures.map(({ text }) => text)).to.deep.equal(['–', '0', '–', '0 B']);
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
    const { figures, charts } = view(FIGURES, clusterLinks('team-a'));
    expect(figures[0]?.href).to.equal(`/projects/team-a/jobs?state=Failed&finished-from=${since}`);
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
    const now = currentView('team-a', { phases, paused: 0, oldestWaiting: oldest });
    expect(now).to.deep.equal({
      phases: [
        { name: 'Queued', text: '3', href: '/projects/team-a/jobs?state=Queued' },
        { name: 'Running', text: '1', href: '/projects/team-a/jobs?state=Running' },
      ],
      longestWait: {
        text: '1m 30s',
        note: 'a.zip: The zipper image cannot be pulled.',
        href: '/projects/team-a/jobs/zip-1',
      },
    });
    expect(currentView('team-a', { phases, paused: 0, oldestWaiting: undefined }).longestWait).to.equal(
      undefined,
    );
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
        isUncounted: false,
      },
    ]);
    expect(failures).to.deep.equal([
      {
        code: 'SourceNotFound',
        reason: recent[0]?.reason,
        count: 3,
        fault: 'request, source or bucket',
        href: `/projects/team-a/history?state=Failed&reason=SourceNotFound&from=${since}`,
      },
    ]);
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
