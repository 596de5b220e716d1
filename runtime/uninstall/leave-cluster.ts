import { toError } from '../errors.ts';
import type { Logger } from '../log/log.ts';
import { type Clock, pause } from '../time/clock.ts';

export interface LeaveClusterOptions {
  /** Stops the leader; false if no controller ever led. */
  readonly takeOver: (signal: AbortSignal) => Promise<boolean>;
  /** Returns how many finalizers were removed. */
  readonly release: (signal: AbortSignal) => Promise<number>;
  readonly quietMs: number;
  readonly clock: Clock;
  readonly log: Pick<Logger, 'info' | 'warn'>;
  /** Aborts at the time limit, or when the pod is terminated. */
  readonly signal: AbortSignal;
}

/** A stopped leader may finish a write afterwards, so one check that finds no finalizers is not sufficient. */
const QUIET_CHECKS = 2;

/** Returns a check that takes over and removes finalizers. It is true after consecutive checks that found none. */
export function createQuietCheck({
  takeOver,
  release,
  onChecked,
}: Pick<LeaveClusterOptions, 'takeOver' | 'release'> & {
  readonly onChecked?: (result: { readonly found: number; readonly wasLed: boolean }) => void;
}) {
  let quiet = 0;
  return async (signal: AbortSignal): Promise<boolean> => {
    const before = quiet;
    // A failed check is not a quiet one.
    quiet = 0;
    const wasLed = await takeOver(signal);
    const found = await release(signal);
    onChecked?.({ found, wasLed });
    quiet = found === 0 ? before + 1 : 0;
    return quiet >= QUIET_CHECKS;
  };
}

/** Runs before the uninstall: stops the controllers and removes all our finalizers. False if it exceeded the time limit. */
export async function leaveCluster(options: LeaveClusterOptions): Promise<boolean> {
  const { clock, quietMs, signal, log } = options;
  const check = createQuietCheck({
    ...options,
    onChecked: (result) => {
      log.info(result, 'checked for finalizers');
    },
  });
  do
    try {
      if (await check(signal)) return true;
    } catch (error) {
      if (!signal.aborted) log.warn({ err: toError(error) }, 'a check failed, will retry');
    }
  while (await pause(clock, quietMs, signal));
  return false;
}
