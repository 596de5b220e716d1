import { expect } from 'chai';
import { barChart, type Chart, lineChart } from '#dashboard/ui/charts/chart.ts';
import type { ChartUnit } from '#dashboard/ui/charts/units.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const START = Date.parse('2026-05-04T00:00:00Z');

const TEXTS = { id: 'jobs', label: 'Jobs per hour', unitLabel: 'Jobs' };
const GOOD = { name: 'succeeded', look: 'good' } as const;
const BAD = { name: 'failed', look: 'bad' } as const;

function bars(values: readonly (readonly number[])[], unit: ChartUnit = 'count', stepMs = HOUR_MS): Chart {
  return barChart({
    ...TEXTS,
    unit,
    stepMs,
    series: [GOOD, BAD],
    bars: values.map((one, index) => ({ fromMs: START + index * stepMs, name: `bar ${index}`, values: one })),
  });
}

function yLabels({ yTicks }: Chart): readonly string[] {
  return yTicks.map(({ label }) => label);
}

function xLabels({ xTicks }: Chart): readonly string[] {
  return xTicks.map(({ label }) => label);
}

describe('a bar chart', () => {
  it('has a scale from zero to a round number at or above the highest bar', () => {
    const chart = bars([
      [30, 7],
      [0, 0],
    ]);
    expect(yLabels(chart)).to.deep.equal(['0', '10', '20', '30', '40']);
    const [zero, , , , highest] = chart.yTicks;
    expect(zero?.y).to.equal(chart.baseline);
    expect(highest?.y).to.be.within(0, chart.baseline / 10);
  });

  it('has ticks of whole jobs only, and no other than zero and one without jobs', () => {
    expect(yLabels(bars([[2, 0]]))).to.deep.equal(['0', '1', '2']);
    expect(yLabels(bars([[0, 0]]))).to.deep.equal(['0', '1']);
  });

  it('has round ticks in the unit of the values', () => {
    expect(yLabels(bars([[3 * 1024 ** 2, 0]], 'bytes'))).to.deep.equal(['0 MiB', '1 MiB', '2 MiB', '3 MiB']);
    expect(yLabels(bars([[1_500, 0]], 'bytesPerSecond'))).to.deep.equal([
      '0 KiB/s',
      '0.5 KiB/s',
      '1 KiB/s',
      '1.5 KiB/s',
    ]);
    expect(yLabels(bars([[450_000, 0]], 'duration'))).to.deep.equal([
      '0 min',
      '2 min',
      '4 min',
      '6 min',
      '8 min',
    ]);
  });

  it('stacks the values of a bar on one scale', () => {
    const chart = bars([[30, 10]]);
    const [good, bad] = chart.bars.flatMap(({ parts }) =>
      parts.map(({ look, y, height }) => ({ look, from: y + height, to: y })),
    );
    const top = chart.yTicks.at(-1)?.y;
    expect(good).to.include({ look: 'good', from: chart.baseline });
    expect(bad?.look).to.equal('bad');
    expect(bad?.from).to.be.closeTo(Number(good?.to), 0.1);
    expect(bad?.to).to.be.closeTo(Number(top), 0.1);
  });

  it('keeps one failed job among thousands visible, and draws nothing for zero', () => {
    const chart = bars([
      [100_000, 1],
      [5, 0],
      [0, 0],
    ]);
    expect(chart.bars.map(({ parts }) => parts.length)).to.deep.equal([2, 1, 0]);
    expect(chart.bars[0]?.parts[1]?.height).to.be.at.least(3);
  });

  it('describes each bar with its unit', () => {
    expect(bars([[1_200, 1]]).bars[0]?.title).to.equal('bar 0: 1,200 succeeded, 1 failed');
    expect(bars([[2_048, 0]], 'bytes').bars[0]?.title).to.equal('bar 0: 2.0 KiB succeeded, 0 B failed');
  });

  it('has labels of hours in UTC, the day at midnight, and half of them on a narrow screen', () => {
    const { xTicks } = barChart({
      ...TEXTS,
      unit: 'count',
      stepMs: HOUR_MS,
      series: [GOOD],
      bars: Array.from({ length: 24 }, (_, index) => ({
        fromMs: START + (index - 11) * HOUR_MS,
        name: '',
        values: [1],
      })),
    });
    expect(xTicks.map(({ label }) => label)).to.deep.equal([
      '15:00',
      '18:00',
      '21:00',
      'May 4',
      '03:00',
      '06:00',
      '09:00',
      '12:00',
    ]);
    expect(xTicks.filter(({ isMinor }) => isMinor).length).to.equal(4);
    for (const { x } of xTicks) expect(x).to.be.within(0, 100);
  });

  it('has fewer long labels on a narrow screen', () => {
    const weeks = bars(
      Array.from({ length: 52 }, () => [1, 0]),
      'count',
      7 * 24 * HOUR_MS,
    );
    const shown = weeks.xTicks.filter(({ isMinor }) => !isMinor).map(({ label }) => label);
    expect(shown.length).to.be.within(2, 3);
  });

  it('repeats no label in a short time', () => {
    const labels = xLabels(
      bars(
        Array.from({ length: 5 }, () => [1, 0]),
        'count',
        600,
      ),
    );
    expect(labels).to.deep.equal([...new Set(labels)]).and.not.to.be.empty;
  });

  it('has labels of days or months for longer periods', () => {
    function days(count: number): readonly string[] {
      return xLabels(
        bars(
          Array.from({ length: count }, () => [1, 0]),
          'count',
          DAY_MS,
        ),
      );
    }
    expect(days(7)).to.include.members(['May 4', 'May 5', 'May 10']);
    expect(days(30).length).to.be.within(3, 10);
    expect(days(365)).to.include('Jul 2026');
  });

  it('fills the width with bars that do not overlap', () => {
    const chart = bars(Array.from({ length: 24 }, () => [1, 1]));
    for (const [index, bar] of chart.bars.entries()) {
      const next = chart.bars[index + 1]?.x ?? 100;
      expect(bar.x + bar.width).to.be.below(next);
    }
  });
});

describe('a line chart', () => {
  function line(values: readonly number[]): Chart {
    return lineChart({
      ...TEXTS,
      unit: 'bytesPerSecond',
      lines: [
        {
          ...GOOD,
          points: values.map((value, index) => ({ atMs: START + index * 10_000, value })),
        },
      ],
    });
  }

  it('goes from the first time to the last, and is higher for a higher value', () => {
    const chart = line([0, 512, 1_024]);
    const points = chart.lines[0]?.points.split(' ').map((point) => point.split(',').map(Number)) ?? [];
    expect(points.map(([x]) => x)).to.deep.equal([0, 50, 100]);
    expect(points[0]?.[1]).to.equal(chart.baseline);
    expect(points[2]?.[1]).to.equal(chart.yTicks.at(-1)?.y);
    expect(xLabels(chart)).to.include('00:00:10');
  });

  it('draws several lines on one scale', () => {
    function points(value: number) {
      return [0, 1].map((index) => ({ atMs: START + index * 60_000, value }));
    }
    const chart = lineChart({
      ...TEXTS,
      unit: 'count',
      lines: [
        { ...GOOD, points: points(100) },
        { name: 'second', look: 'second', points: points(50) },
      ],
    });
    const [first, second] = chart.lines.map((one) => Number(one.points.split(',').at(-1)));
    expect((first ?? 0) + chart.baseline).to.be.closeTo(2 * (second ?? 0), 0.1);
  });

  it('does not fail without points or with one', () => {
    for (const values of [[], [7]]) {
      const text = JSON.stringify(line(values));
      expect(text).to.not.contain('NaN').and.not.contain('null');
    }
  });
});
