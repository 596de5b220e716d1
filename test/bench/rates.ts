import { setTimeout as delay } from 'node:timers/promises';

export interface Rate {
  readonly count: number;
  readonly perSecond: number;
}

/**
 * Calls the task at the rate without waiting for earlier calls. The argument is the time at which the call
 * was due (`performance.now`).
 */
export async function atRate(
  { count, perSecond }: Rate,
  task: (index: number, dueMs: number) => Promise<void>,
): Promise<void> {
  const startedAt = performance.now();
  const calls = Array.from({ length: count }, async (_, index) => {
    const dueMs = startedAt + (index * 1000) / perSecond;
    await delay(Math.max(0, dueMs - performance.now()));
    await task(index, dueMs);
  });
  await Promise.all(calls);
}

export function quantile(values: readonly number[], share: number): number {
  return values.toSorted((a, b) => a - b)[Math.ceil(values.length * share) - 1] ?? 0;
}
