import type { Sample } from '../live/progress-samples.ts';
import { type Chart, lineChart } from '../ui/charts/chart.ts';
import { FORMAT } from '../ui/format.ts';

const MOST_ROWS = 12;
/** Fewer are no curve. */
const LEAST_SAMPLES = 5;

export interface ChartRow {
  /** RFC 3339. */
  readonly at: string;
  readonly files: string;
  readonly read: string;
  readonly rate: string;
}

/** The speed over time; the table has the bytes read, too. */
export interface ProgressChart {
  readonly chart: Chart;
  /** The chart as a sentence. */
  readonly text: string;
  readonly rows: readonly ChartRow[];
}

interface Point extends Sample {
  readonly perSecond: number;
}

function ratesOf(samples: readonly Sample[]): readonly Point[] {
  return samples.slice(1).map((sample, index) => {
    const before = samples[index] ?? sample;
    const seconds = (sample.atMs - before.atMs) / 1000;
    return { ...sample, perSecond: seconds > 0 ? (sample.bytesRead - before.bytesRead) / seconds : 0 };
  });
}

function rowOf({ atMs, filesDone, bytesRead, perSecond }: Point): ChartRow {
  return {
    at: new Date(atMs).toISOString(),
    files: FORMAT.number(filesDone),
    read: FORMAT.bytes(bytesRead),
    rate: `${FORMAT.bytes(perSecond)}/s`,
  };
}

/** At most MOST_ROWS points, including the last one. */
function someOf(points: readonly Point[]): readonly Point[] {
  const step = Math.ceil(points.length / MOST_ROWS);
  return points.filter((_, index) => (points.length - 1 - index) % step === 0);
}

/** Without the speed of now, which the title of the page has as the zipper measures it. */
function sentence(points: readonly Point[]): string {
  const [first, last] = [points[0], points.at(-1)];
  if (first === undefined || last === undefined) return '';
  const highest = Math.max(...points.map(({ perSecond }) => perSecond));
  return `${FORMAT.bytes(last.bytesRead)} read in ${FORMAT.duration(last.atMs - first.atMs)}, peak ${FORMAT.bytes(highest)}/s`;
}

/** Undefined with too few samples for a line. */
export function progressChart(samples: readonly Sample[]): ProgressChart | undefined {
  if (samples.length < LEAST_SAMPLES) return undefined;
  const points = ratesOf(samples);
  const text = sentence(points);
  const chart = lineChart({
    id: 'throughput',
    label: text,
    unitLabel: 'Bytes read per second',
    unit: 'bytesPerSecond',
    lines: [
      {
        name: 'Speed',
        look: 'main',
        points: points.map(({ atMs, perSecond }) => ({ atMs, value: perSecond })),
      },
    ],
  });
  return { chart, text, rows: someOf(points).map(rowOf) };
}
