import { UsageError } from './usage-error.ts';

/** @throws UsageError that names the option. */
export function atLeastOne(option: string, value: number): number {
  if (Number.isSafeInteger(value) && value >= 1) return value;
  throw new UsageError(`--${option} must be an integer of at least 1`);
}
