import { barChart, type Chart, type ChartSeries } from '../ui/charts/chart.ts';
import { FORMAT } from '../ui/format.ts';
import type { JobLinks } from './job-links.ts';
import type { Slot } from './period-figures.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

/** Time of a bar. */
const STEPS = { hour: HOUR_MS, day: DAY_MS, week: 7 * DAY_MS } as const;
export type ChartStep = keyof typeof STEPS;

const SERIES: readonly ChartSeries[] = [
  { name: 'succeeded', look: 'good' },
  { name: 'failed', look: 'bad' },
  { name: 'cancelled', look: 'warn' },
];
const ARCHIVES: readonly ChartSeries[] = [{ name: 'of archives', look: 'main' }];

interface Cell {
  readonly text: string;
  readonly href: string;
}

/** For /ui/partials/table. */
export interface JobTable {
  readonly caption: string;
  readonly columns: readonly { readonly label: string; readonly isNumber?: true }[];
  readonly rows: readonly (readonly (string | Cell)[])[];
}

/** Finished jobs per hour or day: two charts, each with its own scale, and one table with the same numbers. */
export interface JobCharts {
  readonly jobs: Chart;
  readonly bytes: Chart;
  readonly table: JobTable;
}

function dayOf(ms: number): string {
  return new Date(ms).toISOString().slice(0, 10);
}

const NAMES: Readonly<Record<ChartStep, (fromMs: number) => string>> = {
  hour: (ms) => `${dayOf(ms)} ${new Date(ms).toISOString().slice(11, 16)}`,
  day: dayOf,
  week: (ms) => `${dayOf(ms)} to ${dayOf(ms + STEPS.week - DAY_MS)}`,
};

/** `2026-01-31 13:00 UTC`, `2026-01-31 UTC`, or `2026-01-25 to 2026-01-31 UTC`: hours and days of another zone would have other sums. */
function nameOf(fromMs: number, step: ChartStep): string {
  return `${NAMES[step](fromMs)} UTC`;
}

function hasJobs({ succeeded, failed, cancelled }: Slot): boolean {
  return succeeded + failed + cancelled > 0;
}

function tableOf(slots: readonly Slot[], step: ChartStep, links: JobLinks): JobTable {
  return {
    caption: `Finished jobs per ${step}`,
    columns: [
      { label: step.charAt(0).toUpperCase() + step.slice(1) },
      { label: 'Succeeded', isNumber: true },
      { label: 'Failed', isNumber: true },
      { label: 'Cancelled', isNumber: true },
      { label: 'Size', isNumber: true },
    ],
    rows: slots
      .filter(hasJobs)
      .toReversed()
      .map(({ fromMs, succeeded, failed, cancelled, bytes }) => {
        const range = { fromMs, toMs: fromMs + STEPS[step] };
        function cell(
          count: number,
          state: 'Succeeded' | 'Failed' | 'Cancelled',
          text = FORMAT.number(count),
        ) {
          return count === 0 ? text : { text, href: links({ state, ...range }) };
        }
        return [
          { text: nameOf(fromMs, step), href: links(range) },
          cell(succeeded, 'Succeeded'),
          cell(failed, 'Failed'),
          cell(cancelled, 'Cancelled'),
          cell(bytes, 'Succeeded', FORMAT.bytes(bytes)),
        ];
      }),
  };
}

/** Undefined if no job finished. `slots` are all hours, days or weeks of a period, oldest first. */
export function jobCharts(slots: readonly Slot[], step: ChartStep, links: JobLinks): JobCharts | undefined {
  if (!slots.some(hasJobs)) return undefined;
  function of(values: (slot: Slot) => readonly number[]) {
    return slots.map((slot) => ({
      fromMs: slot.fromMs,
      name: nameOf(slot.fromMs, step),
      values: values(slot),
    }));
  }
  function label(what: string): string {
    return `${what} per ${step}; the table below contains the numbers`;
  }
  return {
    jobs: barChart({
      id: 'jobs-chart',
      label: label('Finished jobs'),
      unitLabel: `Jobs per ${step}`,
      unit: 'count',
      series: SERIES,
      stepMs: STEPS[step],
      bars: of(({ succeeded, failed, cancelled }) => [succeeded, failed, cancelled]),
    }),
    bytes: barChart({
      id: 'bytes-chart',
      label: label('Size of archives'),
      unitLabel: `Size of archives per ${step}`,
      unit: 'bytes',
      series: ARCHIVES,
      stepMs: STEPS[step],
      bars: of(({ bytes }) => [bytes]),
    }),
    table: tableOf(slots, step, links),
  };
}

/** The whole weeks of these days, which end with the last day. */
export function weeksOf(days: readonly Slot[]): readonly Slot[] {
  return Array.from({ length: Math.floor(days.length / 7) }, (_, index) => {
    const start = (days.length % 7) + index * 7;
    const week = days.slice(start, start + 7);
    function sum(name: Exclude<keyof Slot, 'fromMs'>): number {
      return week.reduce((all, day) => all + day[name], 0);
    }
    return {
      fromMs: week[0]?.fromMs ?? 0,
      succeeded: sum('succeeded'),
      failed: sum('failed'),
      cancelled: sum('cancelled'),
      bytes: sum('bytes'),
    };
  });
}
