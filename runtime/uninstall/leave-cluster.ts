import { type Clock, pause } from '../clock.ts';
import { toError } from '../errors.ts';
import type { Logger } from '../log.ts';

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

const removeFinalizers = async ({
  takeOver,
  release,
  log,
  signal,
}: LeaveClusterOptions): Promise<boolean> => {
  try {
    const wasLed = await takeOver(signal);
    const found = await release(signal);
    log.info({ found, wasLed }, 'checked for finalizers');
    return found === 0;
  } catch (error) {
    if (!signal.aborted) log.warn({ err: toError(error) }, 'a check failed, will retry');
    return false;
  }
};

/** Runs before the uninstall: stops the controllers and removes all our finalizers. False if it exceeded the time limit. */
export const leaveCluster = async (options: LeaveClusterOptions): Promise<boolean> => {
  const { clock, quietMs, signal } = options;
  let quiet = 0;
  do {
    quiet = (await removeFinalizers(options)) ? quiet + 1 : 0;
    if (quiet === QUIET_CHECKS) return true;
  } while (await pause(clock, quietMs, signal));
  return false;
};
