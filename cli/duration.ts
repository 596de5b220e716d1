import { MAX_WAIT_MS } from '#administration/changes/wait-for.ts';
import { UsageError } from './usage-error.ts';

const UNIT_MS = { s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const;
const DURATION = /^(\d{1,9})([smhd])$/;
/** A hundred years: a time before that cannot be the time of a job, and may not even be a date. */
const MAX_DAYS = 36_500;
const MAX_TIMEOUT_DAYS = Math.floor(MAX_WAIT_MS / UNIT_MS.d);

function isUnit(text: string | undefined): text is keyof typeof UNIT_MS {
  return text !== undefined && text in UNIT_MS;
}

function parse(text: string): number {
  const [, amount, unit] = DURATION.exec(text) ?? [];
  return isUnit(unit) ? Number(amount) * UNIT_MS[unit] : Number.NaN;
}

/** Milliseconds of `30s`, `10m`, `2h`, `7d`. @throws UsageError that names the option. */
export function durationMs(option: string, text: string): number {
  const ms = parse(text);
  if (ms <= MAX_DAYS * UNIT_MS.d) return ms;
  throw new UsageError(
    `Invalid --${option} "${text}". Use a duration such as 30s, 10m, 2h or 7d, at most ${MAX_DAYS}d`,
  );
}

/** Milliseconds of `--timeout`: a duration, or a number of seconds. @throws UsageError */
export function timeoutMs(text: string): number {
  const ms = parse(/^\d+$/.test(text) ? `${text}s` : text);
  if (ms <= MAX_TIMEOUT_DAYS * UNIT_MS.d) return ms;
  throw new UsageError(
    `Invalid --timeout "${text}". Use a duration such as 90s, 2m or 1h, or a number of seconds, at most ${MAX_TIMEOUT_DAYS}d`,
  );
}
