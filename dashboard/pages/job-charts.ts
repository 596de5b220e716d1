import { barChart, type Chart, type ChartSeries } from '../charts/chart.ts';
import { FORMAT } from '../format.ts';
import type { JobLinks } from './job-links.ts';
import type { Slot } from './period-figures.ts';

const HOUR_MS = 3_600_000;

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

/** For /partials/table. */
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

/** `2026-01-31 13:00`, or only the day. */
const nameOf = (fromMs: number, slotMs: number): string => {
  const text = new Date(fromMs).toISOString();
  return slotMs > HOUR_MS ? text.slice(0, 10) : `${text.slice(0, 10)} ${text.slice(11, 16)} UTC`;
};

const hasJobs = ({ succeeded, failed, cancelled }: Slot): boolean => succeeded + failed + cancelled > 0;

const tableOf = (slots: readonly Slot[], slotMs: number, links: JobLinks): JobTable => {
  const unit = slotMs > HOUR_MS ? 'Day' : 'Hour';
  return {
    caption: `Finished jobs per ${unit.toLowerCase()}`,
    columns: [
      { label: unit },
      { label: 'Succeeded', isNumber: true },
      { label: 'Failed', isNumber: true },
      { label: 'Cancelled', isNumber: true },
      { label: 'Bytes', isNumber: true },
    ],
    rows: slots
      .filter(hasJobs)
      .toReversed()
      .map(({ fromMs, succeeded, failed, cancelled, bytes }) => {
        const range = { fromMs, toMs: fromMs + slotMs };
        const cell = (
          count: number,
          state: 'Succeeded' | 'Failed' | 'Cancelled',
          text = FORMAT.number(count),
        ) => (count === 0 ? text : { text, href: links({ state, ...range }) });
        return [
          { text: nameOf(fromMs, slotMs), href: links(range) },
          cell(succeeded, 'Succeeded'),
          cell(failed, 'Failed'),
          cell(cancelled, 'Cancelled'),
          cell(bytes, 'Succeeded', FORMAT.bytes(bytes)),
        ];
      }),
  };
};

/** Undefined if no job finished. `slots` are all hours or days of a period, oldest first, each of `slotMs`. */
export const jobCharts = (slots: readonly Slot[], slotMs: number, links: JobLinks): JobCharts | undefined => {
  if (!slots.some(hasJobs)) return undefined;
  const per = slotMs > HOUR_MS ? 'day' : 'hour';
  const of = (values: (slot: Slot) => readonly number[]) =>
    slots.map((slot) => ({
      fromMs: slot.fromMs,
      name: nameOf(slot.fromMs, slotMs),
      values: values(slot),
    }));
  const label = (what: string): string => `${what} per ${per}; the table below contains the numbers`;
  return {
    jobs: barChart({
      id: 'jobs-chart',
      label: label('Finished jobs'),
      unitLabel: `Jobs per ${per}`,
      unit: 'count',
      series: SERIES,
      stepMs: slotMs,
      bars: of(({ succeeded, failed, cancelled }) => [succeeded, failed, cancelled]),
    }),
    bytes: barChart({
      id: 'bytes-chart',
      label: label('Size of archives'),
      unitLabel: `Size of archives per ${per}`,
      unit: 'bytes',
      series: ARCHIVES,
      stepMs: slotMs,
      bars: of(({ bytes }) => [bytes]),
    }),
    table: tableOf(slots, slotMs, links),
  };
};
