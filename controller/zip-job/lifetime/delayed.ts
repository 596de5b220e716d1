import { uidOf } from '#crds/object-meta.ts';
import type { Change, KubeObject } from '#runtime/kube/types.ts';
import type { Logger } from '#runtime/log/log.ts';
import type { Clock } from '#runtime/time/clock.ts';

export interface DelayedOptions {
  readonly clock: Pick<Clock, 'after'>;
  /** Only the leader acts. */
  readonly leads: () => boolean;
  /** Ends the timers, which would keep the process alive. */
  readonly signal: AbortSignal;
  readonly log: Pick<Logger, 'info' | 'warn'>;
}

/** What happens to an object that stays in a state for some time. */
export interface DelayedAction<T> {
  readonly delayMs: number;
  readonly isDue: (object: T) => boolean;
  /** False while something else prevents it. It is asked again later. */
  readonly isReady?: (object: T) => boolean;
  /** Says what was done, for the log. */
  readonly perform: (object: T) => Promise<string>;
}

/** After an error, and until this process leads and the object is ready. */
const RETRY_MS = 10_000;

/** Follows the changes of a kind, and acts on each object for which `isDue` holds all the time until then. */
export function createDelayed<T extends KubeObject>(
  { clock, leads, signal, log }: DelayedOptions,
  { delayMs, isDue, isReady = () => true, perform }: DelayedAction<T>,
): { see(change: Change<T>): void } {
  const waiting = new Map<string, Disposable>();
  function forget(uid: string): void {
    waiting.get(uid)?.[Symbol.dispose]();
    waiting.delete(uid);
  }
  async function act(object: T): Promise<void> {
    const { namespace, name } = object.metadata;
    try {
      if (leads() && isReady(object)) {
        log.info({ namespace, name }, await perform(object));
        return;
      }
    } catch (error) {
      log.warn({ err: error, namespace, name }, 'could not clean up, and will try again');
    }
    if (waiting.has(uidOf(object))) startTimer(RETRY_MS, object);
  }
  function startTimer(ms: number, object: T): void {
    if (signal.aborted) return;
    waiting.set(
      uidOf(object),
      clock.after(ms, () => void act(object)),
    );
  }
  signal.addEventListener('abort', () => {
    for (const uid of waiting.keys()) forget(uid);
  });
  return {
    see: (change) => {
      const object = change.kind === 'set' ? change.object : change.before;
      const uid = uidOf(object);
      if (change.kind === 'deleted' || !isDue(object)) forget(uid);
      else if (!waiting.has(uid)) startTimer(delayMs, object);
    },
  };
}
