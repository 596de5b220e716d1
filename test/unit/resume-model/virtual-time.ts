/**
 * Time that passes only when a test says so: every timer and clock that the zipper uses, for as long as this object is installed.
 * The same seed gives the same order of events, and a wait of hours takes no time.
 */
import { syncBuiltinESMExports } from 'node:module';
import timersPromises from 'node:timers/promises';
import { NOW } from '#test/support/builders/objects.ts';
import type { Random } from '#test/support/random.ts';

interface Timer {
  readonly atMs: number;
  readonly run: () => void;
}

const real = {
  delay: timersPromises.setTimeout,
  setTimeout: globalThis.setTimeout,
  clearTimeout: globalThis.clearTimeout,
  setImmediate: globalThis.setImmediate,
  timeout: AbortSignal.timeout.bind(AbortSignal),
  now: Date.now,
  monotonic: performance.now.bind(performance),
  random: Math.random,
};

/** All promises that can be resolved without a timer have been resolved. */
function quiescence(): Promise<void> {
  return new Promise((resolve) => {
    real.setImmediate(resolve);
  });
}

export class VirtualTime implements Disposable {
  /** Milliseconds since the start of the schedule. */
  nowMs = 0;
  readonly #timers: Timer[] = [];

  constructor(random: Random) {
    const replace: object = {
      setTimeout: (run: () => void, ms = 0) => this.after(ms, run),
      clearTimeout: (timer: Timer | undefined) => this.cancel(timer),
    };
    Object.assign(globalThis, replace);
    Object.assign(timersPromises, { setTimeout: this.delay.bind(this) });
    Object.assign(AbortSignal, { timeout: (ms: number) => this.#timeout(ms) });
    Object.assign(performance, { now: () => this.nowMs });
    Object.assign(Date, { now: () => NOW.getTime() + this.nowMs });
    Object.assign(Math, { random: () => random.next() });
    syncBuiltinESMExports();
  }

  [Symbol.dispose](): void {
    const { setTimeout, clearTimeout } = real;
    Object.assign(globalThis, { setTimeout, clearTimeout });
    Object.assign(timersPromises, { setTimeout: real.delay });
    Object.assign(AbortSignal, { timeout: real.timeout });
    Object.assign(performance, { now: real.monotonic });
    Object.assign(Date, { now: real.now });
    Object.assign(Math, { random: real.random });
    syncBuiltinESMExports();
  }

  get date(): Date {
    return new Date(NOW.getTime() + this.nowMs);
  }

  after(ms: number, run: () => void): Timer {
    const timer = { atMs: this.nowMs + Math.max(0, ms), run };
    const later = this.#timers.findLastIndex(({ atMs }) => atMs <= timer.atMs);
    this.#timers.splice(later + 1, 0, timer);
    return timer;
  }

  cancel(timer: Timer | undefined): void {
    const at = timer === undefined ? -1 : this.#timers.indexOf(timer);
    if (at >= 0) this.#timers.splice(at, 1);
  }

  delay<T>(ms = 0, value?: T, { signal }: { readonly signal?: AbortSignal } = {}): Promise<T | undefined> {
    return new Promise((resolve, reject) => {
      if (signal?.aborted === true) {
        reject(signal.reason as Error);
        return;
      }
      const onAbort = (): void => {
        this.cancel(timer);
        reject(new DOMException('The operation was aborted', { name: 'AbortError', cause: signal?.reason }));
      };
      const timer = this.after(ms, () => {
        signal?.removeEventListener('abort', onAbort);
        resolve(value);
      });
      signal?.addEventListener('abort', onAbort, { once: true });
    });
  }

  /** Runs the next timer and everything that follows from it at once. False if there is none before this time. */
  async next(untilMs: number): Promise<boolean> {
    await quiescence();
    const [timer] = this.#timers;
    if (timer === undefined || timer.atMs > untilMs) {
      this.nowMs = Math.max(this.nowMs, untilMs);
      return false;
    }
    this.#timers.shift();
    this.nowMs = timer.atMs;
    timer.run();
    await quiescence();
    return true;
  }

  #timeout(ms: number): AbortSignal {
    const limit = new AbortController();
    this.after(ms, () => limit.abort(new DOMException('The operation timed out', 'TimeoutError')));
    return limit.signal;
  }
}
