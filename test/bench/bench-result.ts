import { styleText } from 'node:util';

/** The figures of one contender in one case: the medians of its rounds. */
export interface BenchResult {
  readonly case: string;
  readonly contender: string;
  readonly wall_s: number;
  readonly cpu_s: number;
  readonly cpu_s_per_gb: number;
  readonly peak_mib: number;
  /** Both directions; includes other traffic on the loopback interface at that time. */
  readonly wire_mib: number;
  /** Connections that the contender opened. */
  readonly origin_connections: number;
  readonly store_connections: number;
}

type Figure = Exclude<keyof BenchResult, 'case' | 'contender'>;

/** zipjobs compared with a peer: below 1 is better, except for `times_faster`. */
export interface BenchRatio {
  readonly case: string;
  readonly against: string;
  readonly times_faster: number;
  readonly cpu_ratio: number;
  readonly peak_ratio: number;
}

export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = sorted.length >> 1;
  const [low = 0, high = 0] = [sorted[(sorted.length - 1) >> 1], sorted[middle]];
  return (low + high) / 2;
}

function round(value: number, digits: number): number {
  return Number(value.toFixed(digits));
}

/** The median of each figure. */
export function toResult(rounds: readonly BenchResult[]): BenchResult {
  const [first] = rounds;
  if (!first) throw new Error('no round was run');
  function of(figure: Figure, digits: number): number {
    return round(median(rounds.map((one) => one[figure])), digits);
  }
  return {
    case: first.case,
    contender: first.contender,
    wall_s: of('wall_s', 2),
    cpu_s: of('cpu_s', 2),
    cpu_s_per_gb: of('cpu_s_per_gb', 2),
    peak_mib: of('peak_mib', 0),
    wire_mib: of('wire_mib', 1),
    origin_connections: of('origin_connections', 0),
    store_connections: of('store_connections', 0),
  };
}

/** Compares zipjobs with every peer that ran the same case. */
export function ratiosOf(results: readonly BenchResult[]): readonly BenchRatio[] {
  return results.flatMap((peer) => {
    const ours = results.find((one) => one.case === peer.case && one.contender === 'zipjobs');
    if (!ours || peer === ours) return [];
    return [
      {
        case: peer.case,
        against: peer.contender,
        times_faster: round(peer.wall_s / ours.wall_s, 2),
        cpu_ratio: round(ours.cpu_s_per_gb / peer.cpu_s_per_gb, 2),
        peak_ratio: round(ours.peak_mib / peer.peak_mib, 2),
      },
    ];
  });
}

const COLUMNS = [12, 10, 10, 14, 11, 10, 10, 20, 20] as const;
const FIGURES: readonly (readonly [heading: string, figure: keyof BenchResult])[] = [
  ['case', 'case'],
  ['contender', 'contender'],
  ['wall s', 'wall_s'],
  ['CPU s', 'cpu_s'],
  ['CPU s/GiB', 'cpu_s_per_gb'],
  ['peak MiB', 'peak_mib'],
  ['wire MiB', 'wire_mib'],
  ['origin connections', 'origin_connections'],
  ['store connections', 'store_connections'],
];

function line(cells: readonly (string | number)[]): string {
  return cells.map((cell, index) => String(cell).padEnd(COLUMNS[index] ?? 0)).join('');
}

/** The results as a table for the terminal. */
export function printTable(results: readonly BenchResult[], ratios: readonly BenchRatio[]): void {
  console.log(`\n${styleText('bold', line(FIGURES.map(([heading]) => heading)))}`);
  for (const one of results) console.log(line(FIGURES.map(([, figure]) => one[figure])));
  console.log(`\n${styleText('bold', line(['case', 'against', 'x faster', 'CPU ratio', 'peak ratio']))}`);
  for (const one of ratios)
    console.log(line([one.case, one.against, one.times_faster, one.cpu_ratio, one.peak_ratio]));
}
