import type { Logger } from '#runtime/log.ts';
import type { RecordEvent } from './events.ts';

/** Time between two reports. */
const PAUSE_MS = 10 * 60_000;

export interface ClockWatchOptions {
  /** Of the controller; its Events are what people on call look at first. */
  readonly lease: { readonly namespace: string; readonly name: string };
  readonly record: RecordEvent;
  readonly count: () => void;
  readonly monotonicMs: () => number;
  readonly log: Logger;
}

/** Reports API servers whose clocks differ: an Event of the Lease and a log line now and then, and a count of all responses. */
export const createClockWatch = ({ lease, record, count, monotonicMs, log }: ClockWatchOptions) => {
  let reportedMs = Number.NEGATIVE_INFINITY;
  return (differenceMs: number): void => {
    count();
    if (monotonicMs() - reportedMs < PAUSE_MS) return;
    reportedMs = monotonicMs();
    const seconds = Math.round(differenceMs / 1000);
    const message = `the clocks of two API servers differ by ${seconds} s; synchronise the clocks of the control plane. Until then, the time that most responses agree on counts`;
    log.warn({ differenceMs: Math.round(differenceMs) }, message);
    void record({ metadata: lease }, { type: 'Warning', reason: 'ClocksDiffer', message });
  };
};
