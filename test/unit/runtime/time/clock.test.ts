import { mock } from 'node:test';
import { expect } from 'chai';
import { LONGEST_TIMER_MS, pause, systemClock } from '#runtime/time/clock.ts';

describe('systemClock', () => {
  it('runs no task at once whose delay is longer than a timer of Node can be (BC5)', async () => {
    const ran: number[] = [];
    using _timers = new DisposableStack();
    for (const delayMs of [LONGEST_TIMER_MS + 1, 2 ** 32 + 1, Number.POSITIVE_INFINITY])
      _timers.use(systemClock.after(delayMs, () => ran.push(delayMs)));
    // Node would run them after 1 ms, before this.
    await pause(systemClock, 5, new AbortController().signal);
    expect(ran).to.deep.equal([]);
  });

  it('runs the task after a long delay, and not if it was cancelled (BC5)', () => {
    mock.timers.enable({ apis: ['setTimeout'] });
    try {
      const ran: string[] = [];
      const delayMs = 2 * LONGEST_TIMER_MS + 1_000;
      systemClock.after(delayMs, () => ran.push('kept'));
      const cancelled = systemClock.after(delayMs, () => ran.push('cancelled'));
      mock.timers.tick(LONGEST_TIMER_MS);
      cancelled[Symbol.dispose]();
      mock.timers.tick(LONGEST_TIMER_MS);
      mock.timers.tick(999);
      expect(ran).to.deep.equal([]);
      mock.timers.tick(1);
      expect(ran).to.deep.equal(['kept']);
    } finally {
      mock.timers.reset();
    }
  });
});
