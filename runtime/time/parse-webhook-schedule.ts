import { ConfigError } from '../errors.ts';

/** @throws ConfigError unless the text is a comma-separated list of one or more non-negative numbers. */
export function parseSchedule(env: string, text: string): readonly number[] {
  const seconds = text.split(',').map((part) => (part.trim() === '' ? Number.NaN : Number(part)));
  if (seconds.every((value) => Number.isFinite(value) && value >= 0)) return seconds;
  throw new ConfigError(`${env}: "${text}" is not a comma-separated list of seconds`);
}
