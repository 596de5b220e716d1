import { expect } from 'chai';
import { jobCharts, weeksOf } from '#dashboard/overview/job-charts.ts';
import { historyLinks } from '#dashboard/overview/job-links.ts';
import { slotsOf } from '#dashboard/overview/period-figures.ts';

const DAY_MS = 86_400_000;
const NOW = new Date('2026-05-04T12:00:00Z');
const TODAY = Date.parse('2026-05-04T00:00:00Z');

function daysOf(count: number) {
  function day(ago: number) {
    return {
      fromMs: TODAY - ago * DAY_MS,
      succeeded: 1,
      failed: ago,
      cancelled: 0,
      bytes: 10,
    };
  }
  return slotsOf(
    { slots: count, slotMs: DAY_MS },
    NOW,
    Array.from({ length: count }, (_, ago) => day(ago)),
  );
}

describe('the charts of jobs', () => {
  it('show whole weeks that end with the last day', () => {
    const weeks = weeksOf(daysOf(365));
    expect(weeks.length).to.equal(52);
    expect(weeks.at(-1)).to.deep.equal({
      fromMs: TODAY - 6 * DAY_MS,
      succeeded: 7,
      failed: 21,
      cancelled: 0,
      bytes: 70,
    });
    const charts = jobCharts(weeks, 'week', historyLinks('team-a'));
    expect(charts?.jobs.bars.at(-1)?.title).to.equal(
      '2026-04-28 to 2026-05-04 UTC: 7 succeeded, 21 failed, 0 cancelled',
    );
    expect(charts?.jobs.unitLabel).to.equal('Jobs per week');
    expect(charts?.table.rows[0]?.[0]).to.deep.include({
      href: '/projects/team-a/history?from=2026-04-28T00%3A00&to=2026-05-05T00%3A00',
    });
  });

  it('name the zone of every hour, day and week, and sizes as in the lists', () => {
    const links = historyLinks('team-a');
    const hours = daysOf(1).map((day) => ({ ...day, fromMs: TODAY + 13 * 3_600_000 }));
    const charts = [
      jobCharts(hours, 'hour', links),
      jobCharts(daysOf(1), 'day', links),
      jobCharts(weeksOf(daysOf(7)), 'week', links),
    ];
    const names = ['2026-05-04 13:00 UTC', '2026-05-04 UTC', '2026-04-28 to 2026-05-04 UTC'];
    for (const [index, name] of names.entries()) {
      expect(charts[index]?.jobs.bars[0]?.title).to.match(new RegExp(`^${name}: `));
      expect(charts[index]?.table.rows[0]?.[0]).to.include({ text: name });
    }
    const columns = jobCharts(daysOf(1), 'day', links)?.table.columns.map(({ label }) => label);
    expect(columns).to.deep.equal(['Day', 'Succeeded', 'Failed', 'Cancelled', 'Size']);
  });

  it('are left out without jobs', () => {
    const slots = slotsOf({ slots: 7, slotMs: DAY_MS }, NOW, []);
    expect(jobCharts(slots, 'day', historyLinks('team-a'))).to.equal(undefined);
  });
});
