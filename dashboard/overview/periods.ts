const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

/** The periods of the overview, in whole hours or days (UTC). The last one is not over. */
export const PERIODS = [
  { value: '24h', label: '24 hours', by: 'hour', slots: 24, slotMs: HOUR_MS },
  { value: '7d', label: '7 days', by: 'day', slots: 7, slotMs: DAY_MS },
  { value: '30d', label: '30 days', by: 'day', slots: 30, slotMs: DAY_MS },
] as const;

export type Period = (typeof PERIODS)[number];

export const [DAY] = PERIODS;

/** The default for an unknown value. */
export function periodOf(value: string | null): Period {
  return PERIODS.find((one) => one.value === value) ?? DAY;
}

/** Start of the first hour or day of a period, and end of the last one, in milliseconds. */
export function windowOf(
  { slots, slotMs }: { readonly slots: number; readonly slotMs: number },
  now: Date,
): { readonly fromMs: number; readonly toMs: number } {
  const toMs = (Math.floor(now.getTime() / slotMs) + 1) * slotMs;
  return { fromMs: toMs - slots * slotMs, toMs };
}

/** As long as the period is until now, and as much earlier as the whole period is long: a day that is not over would look worse. */
export function windowBefore(
  period: { readonly slots: number; readonly slotMs: number },
  now: Date,
): { readonly fromMs: number; readonly toMs: number } {
  const lengthMs = period.slots * period.slotMs;
  return { fromMs: windowOf(period, now).fromMs - lengthMs, toMs: now.getTime() - lengthMs };
}
