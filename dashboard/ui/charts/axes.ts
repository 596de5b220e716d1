import { scaleLinear, scaleUtc } from 'd3-scale';
import { FORMAT } from '../format.ts';
import { type ChartUnit, tickUnit } from './units.ts';

/** Heights are pixels, so that text keeps its size when the chart gets narrower. */
export const CHART_HEIGHT = 200;
const TOP = 10;
/** Where zero is. Below are the labels of the time axis. */
export const BASELINE = 172;

const VALUE_TICKS = 4;
const TIME_TICKS = 8;
/** Characters of all labels that fit beside each other on a narrow screen. */
const NARROW_CHARACTERS = 24;

export interface ValueTick {
  readonly y: number;
  readonly label: string;
}

export interface TimeTick {
  /** Per cent of the width. */
  readonly x: number;
  readonly label: string;
  /** Left out on a narrow screen. */
  readonly isMinor: boolean;
}

export function round(value: number): number {
  return Math.round(value * 100) / 100;
}

/** From zero to a round value at or above the highest one. */
export function valueAxis(
  unit: ChartUnit,
  most: number,
): { readonly yOf: (value: number) => number; readonly ticks: readonly ValueTick[] } {
  const { size, name } = tickUnit(unit, most);
  const scale = scaleLinear([0, Math.max(1, most / size)], [BASELINE, TOP]).nice(VALUE_TICKS);
  const isWhole = unit === 'count';
  return {
    yOf: (value) => round(scale(value / size)),
    ticks: scale
      .ticks(VALUE_TICKS)
      .filter((tick) => !isWhole || Number.isInteger(tick))
      .map((tick) => ({
        y: round(scale(tick)),
        label: name === '' ? FORMAT.number(tick) : `${FORMAT.number(tick)} ${name}`,
      })),
  };
}

const SECOND_MS = 1_000;
const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;
const MONTH_MS = 28 * DAY_MS;

function inUtc(options: Intl.DateTimeFormatOptions): Intl.DateTimeFormat {
  return new Intl.DateTimeFormat('en', { ...options, hourCycle: 'h23', timeZone: 'UTC' });
}

const SECOND = inUtc({ hour: '2-digit', minute: '2-digit', second: '2-digit' });
const MINUTE = inUtc({ hour: '2-digit', minute: '2-digit' });
const DAY = inUtc({ month: 'short', day: 'numeric' });
const MONTH = inUtc({ month: 'short', year: 'numeric' });

/** As short as the distance of the ticks allows. Midnight is shown as its day. */
function labelOf(atMs: number, stepMs: number): string {
  if (stepMs >= MONTH_MS) return MONTH.format(atMs);
  if (stepMs >= DAY_MS || atMs % DAY_MS === 0) return DAY.format(atMs);
  return (stepMs < MINUTE_MS ? SECOND : MINUTE).format(atMs);
}

/** From the first time to the last, in UTC. */
export function timeAxis(
  fromMs: number,
  toMs: number,
): { readonly xOf: (atMs: number) => number; readonly ticks: readonly TimeTick[] } {
  const scale = scaleUtc([new Date(fromMs), new Date(toMs)], [0, 100]);
  function xOf(atMs: number): number {
    return round(scale(new Date(atMs)));
  }
  // No label is shorter than a second.
  const times = scale
    .ticks(TIME_TICKS)
    .map((time) => time.getTime())
    .filter((atMs) => atMs % SECOND_MS === 0);
  const [first = fromMs, second = toMs] = times;
  const labels = times.map((atMs) => labelOf(atMs, second - first));
  const every = Math.ceil(
    (times.length * Math.max(...labels.map(({ length }) => length))) / NARROW_CHARACTERS,
  );
  return {
    xOf,
    ticks: times.map((atMs, index) => ({
      x: xOf(atMs),
      label: labels[index] ?? '',
      isMinor: index % every !== 0,
    })),
  };
}
