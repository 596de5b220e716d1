import type { Logger } from '#runtime/log/log.ts';
import type { Clock } from '#runtime/time/clock.ts';
import { createServerClock, type ServerClock } from '#runtime/time/server-clock.ts';
import type { RecordEvent } from './events.ts';

/** Time between two reports. */
const PAUSE_MS = 10 * 60_000;

export interface ClockReports {
  /** Of the controller; its Events are what people on call look at first. */
  readonly lease: { readonly namespace: string; readonly name: string };
  readonly record: RecordEvent;
  readonly log: Logger;
}

/** The API server's time, which reports API servers whose clocks differ. */
export interface WatchedClock {
  readonly clock: ServerClock;
  /** From now on, an Event of the Lease and a log line report them now and then. Without this, they are only counted. */
  reportTo(reports: ClockReports): void;
}

/** `count` is called for each response whose time differs. */
export function createWatchedClock(local: Clock, count: () => void): WatchedClock {
  let reports: ClockReports | undefined;
  let reportedMs = Number.NEGATIVE_INFINITY;
  function onContradiction(differenceMs: number): void {
    count();
    if (!reports || local.monotonicMs() - reportedMs < PAUSE_MS) return;
    reportedMs = local.monotonicMs();
    const seconds = Math.round(differenceMs / 1000);
    const message = `the clocks of two API servers differ by ${seconds} s; synchronise the clocks of the control plane. Until then, the time that was heard first counts, or the one that agrees with the clock of the node`;
    reports.log.warn({ seconds }, message);
    void reports.record({ metadata: reports.lease }, { type: 'Warning', reason: 'ClocksDiffer', message });
  }
  return {
    clock: createServerClock(local, onContradiction),
    reportTo: (next) => {
      reports = next;
    },
  };
}
