import { BYTE_UNITS } from '#administration/projects/size-text.ts';
import { FORMAT } from '../format.ts';

/** What the values of a chart are; `duration` in milliseconds. */
export type ChartUnit = 'count' | 'bytes' | 'bytesPerSecond' | 'duration';

/** The ticks of an axis are round in this unit. */
export interface TickUnit {
  readonly size: number;
  /** After the number; `''` for a count. */
  readonly name: string;
}

const SIZES = BYTE_UNITS.map((name, power) => ({ name, size: 1024 ** power }));
const DURATIONS: readonly TickUnit[] = [
  { name: 's', size: 1_000 },
  { name: 'min', size: 60_000 },
  { name: 'h', size: 3_600_000 },
  { name: 'd', size: 86_400_000 },
];

const UNITS: Readonly<Record<ChartUnit, readonly TickUnit[]>> = {
  count: [{ name: '', size: 1 }],
  bytes: SIZES,
  bytesPerSecond: SIZES.map(({ name, size }) => ({ name: `${name}/s`, size })),
  duration: DURATIONS,
};

/** The largest unit of which the highest value has at least one. */
export function tickUnit(unit: ChartUnit, most: number): TickUnit {
  const units = UNITS[unit];
  return units.findLast(({ size }) => size <= most) ?? units[0] ?? { name: '', size: 1 };
}

const TEXTS: Readonly<Record<ChartUnit, (value: number) => string>> = {
  count: FORMAT.number,
  bytes: FORMAT.bytes,
  bytesPerSecond: (value) => `${FORMAT.bytes(value)}/s`,
  duration: FORMAT.duration,
};

/** One value with its unit, such as `1.5 MiB/s`. */
export function valueText(unit: ChartUnit, value: number): string {
  return TEXTS[unit](value);
}
