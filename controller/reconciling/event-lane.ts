import { FairQueue } from '#runtime/fair/fair-queue.ts';
import type { Logger } from '#runtime/log/log.ts';
import { type Clock, pause } from '#runtime/time/clock.ts';
import type { RecordEvent } from './events.ts';

export interface EventLaneOptions {
  readonly record: RecordEvent;
  readonly clock: Clock;
  readonly log: Logger;
  /** Maximum concurrent requests. */
  readonly concurrency?: number;
  /** Maximum queued events of one namespace; further ones are dropped and counted in the log. */
  readonly capacity?: number;
  /** Maximum time that dispose waits for queued events. */
  readonly drainMs?: number;
}

/**
 * Sends Events in the background, so that no job waits for them. Round-robin over namespaces. Dispose flushes
 * the queue.
 */
export interface EventLane extends AsyncDisposable {
  /** Never throws and never waits. */
  readonly add: (...event: Parameters<RecordEvent>) => void;
}

const DEFAULTS = { concurrency: 4, capacity: 1000, drainMs: 1000 };

export function createEventLane(options: EventLaneOptions): EventLane {
  const { record, clock, log, concurrency, capacity, drainMs } = { ...DEFAULTS, ...options };
  const waiting = new FairQueue<Parameters<RecordEvent>>();
  const drained = new AbortController();
  let isLate = false;
  let running = 0;
  let dropped = 0;
  let isClosing = false;

  function next(): Parameters<RecordEvent> | undefined {
    return isLate ? undefined : waiting.shift();
  }

  async function work(): Promise<void> {
    running += 1;
    for (let event = next(); event; event = next()) await record(...event);
    running -= 1;
    if (running > 0) return;
    if (dropped > 0) log.warn({ dropped }, 'dropped events because the API server is too slow');
    dropped = 0;
    if (isClosing) drained.abort();
  }

  return {
    add: (...event) => {
      const { namespace } = event[0].metadata;
      if (waiting.sizeOf(namespace) >= capacity) {
        dropped += 1;
        return;
      }
      waiting.push(namespace, event);
      if (running < concurrency) void work();
    },
    [Symbol.asyncDispose]: async () => {
      isClosing = true;
      if (running > 0) await pause(clock, drainMs, drained.signal);
      isLate = true;
    },
  };
}
