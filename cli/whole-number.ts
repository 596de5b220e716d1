import { UsageError } from './usage-error.ts';

/** @throws UsageError that names the option. */
export const atLeastOne = (option: string, value: number): number => {
  if (Number.isSafeInteger(value) && value >= 1) return value;
  throw new UsageError(`--${option} is a whole number from 1 on`);
};
