import { BASELINE, CHART_HEIGHT, round, type TimeTick, timeAxis, type ValueTick, valueAxis } from './axes.ts';
import { type ChartUnit, valueText } from './units.ts';

/** How a bar or a line looks: `bad` is hatched, `warn` dotted and `second` dashed, so that no colour is needed. */
export type ChartLook = 'main' | 'second' | 'good' | 'bad' | 'warn';

export interface ChartSeries {
  /** As in the legend: `failed`. */
  readonly name: string;
  readonly look: ChartLook;
}

export interface ChartPart {
  readonly y: number;
  readonly height: number;
  readonly look: ChartLook;
}

export interface ChartBar {
  /** Per cent of the width. */
  readonly x: number;
  readonly width: number;
  /** The bar as text. */
  readonly title: string;
  readonly parts: readonly ChartPart[];
}

export interface ChartLine {
  readonly look: ChartLook;
  /** Points of an SVG polyline: x from 0 to 100, y in pixels. */
  readonly points: string;
}

/** A chart as `/charts/chart.eta` draws it. Positions across are per cent, positions down are pixels. */
export interface Chart {
  /** Unique on the page. */
  readonly id: string;
  /** What the chart shows, for a screen reader. */
  readonly label: string;
  /** Unit of the value axis, above it: `Jobs per hour`. */
  readonly unitLabel: string;
  readonly height: number;
  readonly baseline: number;
  readonly yTicks: readonly ValueTick[];
  readonly xTicks: readonly TimeTick[];
  readonly series: readonly ChartSeries[];
  readonly bars: readonly ChartBar[];
  readonly lines: readonly ChartLine[];
}

interface ChartTexts extends Pick<Chart, 'id' | 'label' | 'unitLabel'> {
  readonly unit: ChartUnit;
}

export interface BarChartOptions extends ChartTexts {
  /** From the bottom to the top of a bar. */
  readonly series: readonly ChartSeries[];
  /** Oldest first. */
  readonly bars: readonly {
    readonly fromMs: number;
    /** What the bar counts: `2026-01-31 13:00 UTC`. */
    readonly name: string;
    /** One for each series. */
    readonly values: readonly number[];
  }[];
  /** Time that one bar stands for, in milliseconds. */
  readonly stepMs: number;
}

export interface LineChartOptions extends ChartTexts {
  readonly lines: readonly (ChartSeries & {
    /** Oldest first. */
    readonly points: readonly { readonly atMs: number; readonly value: number }[];
  })[];
}

/** A single failed job among thousands stays visible. */
const LEAST_HEIGHT = 3;
/** Part of the width of a bar that stays empty. */
const GAP = 0.2;

function sum(values: readonly number[]): number {
  return values.reduce((all, value) => all + value, 0);
}

function partsOf(
  values: readonly number[],
  series: readonly ChartSeries[],
  yOf: (value: number) => number,
): readonly ChartPart[] {
  let y = BASELINE;
  return series.flatMap(({ look }, index) => {
    const value = values[index] ?? 0;
    if (value <= 0) return [];
    const height = round(Math.max(LEAST_HEIGHT, BASELINE - yOf(value)));
    y = round(y - height);
    return [{ y, height, look }];
  });
}

function titleOf(
  { unit, series }: BarChartOptions,
  { name, values }: BarChartOptions['bars'][number],
): string {
  const texts = series.map((one, index) => `${valueText(unit, values[index] ?? 0)} ${one.name}`);
  return `${name}: ${texts.join(', ')}`;
}

/** Bars over time. The values of one bar are stacked. */
export function barChart(options: BarChartOptions): Chart {
  const { id, label, unitLabel, unit, series, bars, stepMs } = options;
  const fromMs = bars[0]?.fromMs ?? 0;
  const { xOf, ticks: xTicks } = timeAxis(fromMs, (bars.at(-1)?.fromMs ?? fromMs) + stepMs);
  const { yOf, ticks: yTicks } = valueAxis(unit, Math.max(0, ...bars.map(({ values }) => sum(values))));
  const stepWidth = xOf(fromMs + stepMs);
  return {
    id,
    label,
    unitLabel,
    height: CHART_HEIGHT,
    baseline: BASELINE,
    yTicks,
    xTicks,
    series,
    bars: bars.map((bar) => ({
      x: round(xOf(bar.fromMs) + (stepWidth * GAP) / 2),
      width: round(stepWidth * (1 - GAP)),
      title: titleOf(options, bar),
      parts: partsOf(bar.values, series, yOf),
    })),
    lines: [],
  };
}

/** Lines over time on one scale. */
export function lineChart({ id, label, unitLabel, unit, lines }: LineChartOptions): Chart {
  const points = lines.flatMap((line) => line.points);
  const times = points.map(({ atMs }) => atMs);
  const [firstMs = 0] = times;
  const { xOf, ticks: xTicks } = timeAxis(Math.min(firstMs, ...times), Math.max(firstMs, ...times));
  const { yOf, ticks: yTicks } = valueAxis(unit, Math.max(0, ...points.map(({ value }) => value)));
  return {
    id,
    label,
    unitLabel,
    height: CHART_HEIGHT,
    baseline: BASELINE,
    yTicks,
    xTicks,
    series: lines.map(({ name, look }) => ({ name, look })),
    bars: [],
    lines: lines.map((line) => ({
      look: line.look,
      points: line.points.map(({ atMs, value }) => `${xOf(atMs)},${yOf(value)}`).join(' '),
    })),
  };
}
