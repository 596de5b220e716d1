import { UsageError } from './usage-error.ts';

const UNIT_MS = { s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const;
const DURATION = /^(\d{1,9})([smhd])$/;

const isUnit = (text: string | undefined): text is keyof typeof UNIT_MS =>
  text !== undefined && text in UNIT_MS;

/** Milliseconds of `30s`, `10m`, `2h`, `7d`. @throws UsageError that names the option. */
export const durationMs = (option: string, text: string): number => {
  const [, amount, unit] = DURATION.exec(text) ?? [];
  if (isUnit(unit)) return Number(amount) * UNIT_MS[unit];
  throw new UsageError(`Invalid --${option} "${text}". Use a duration such as 30s, 10m, 2h or 7d`);
};
