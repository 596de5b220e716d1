import { expect } from 'chai';
import type { Clock } from '#runtime/clock.ts';
import { createServerClock } from '#runtime/server-clock.ts';
import { createManualClock } from '#test/support/builders/manual-clock.ts';

const START = new Date('2026-03-01T10:00:00.400Z');
const HOUR_MS = 3_600_000;

/** A local clock that a test can set, with a monotonic clock that it cannot set. */
const createSettableClock = () => {
  const clock = createManualClock(START);
  let offMs = 0;
  const local: Clock = {
    monotonicMs: () => clock.monotonicMs(),
    after: (delayMs, task) => clock.after(delayMs, task),
    date: () => new Date(clock.date().getTime() + offMs),
  };
  const set = (ms: number): void => {
    offMs = ms;
  };
  /** The Date header of a server with a correct clock. */
  const header = (): string => clock.date().toUTCString();
  return { clock, local, set, header };
};

describe('createServerClock', () => {
  it('equals the local clock until a server reports its time, and while both agree', () => {
    const { clock, local, header } = createSettableClock();
    const server = createServerClock(local);
    expect(server.date()).to.deep.equal(START);
    server.hear(header(), clock.monotonicMs());
    clock.jump(1_234);
    expect(server.date()).to.deep.equal(clock.date());
  });

  for (const jumpMs of [HOUR_MS, -HOUR_MS])
    it(`keeps the correct time if the local clock jumps by ${jumpMs} ms (F18)`, () => {
      const { clock, local, set, header } = createSettableClock();
      const server = createServerClock(local);
      server.hear(header(), clock.monotonicMs());
      set(jumpMs);
      clock.jump(5_000);
      expect(server.date().getTime()).to.be.closeTo(clock.date().getTime(), 1_000);
      set(0);
      expect(server.date()).to.deep.equal(clock.date());
    });

  it('becomes more accurate with every response', () => {
    const { clock, local, set, header } = createSettableClock();
    const server = createServerClock(local);
    set(HOUR_MS);
    for (let responses = 0; responses < 20; responses += 1) {
      const sentMs = clock.monotonicMs();
      clock.jump(20);
      server.hear(header(), sentMs);
      clock.jump(377);
    }
    expect(server.date().getTime()).to.be.closeTo(clock.date().getTime(), 60);
  });

  it('follows the server when its clock is set, and ignores an invalid date', () => {
    const { clock, local, header } = createSettableClock();
    const server = createServerClock(local);
    server.hear(header(), clock.monotonicMs());
    server.hear(new Date(START.getTime() + HOUR_MS).toUTCString(), clock.monotonicMs());
    server.hear('yesterday', clock.monotonicMs());
    server.hear(undefined, clock.monotonicMs());
    expect(server.date().getTime()).to.be.closeTo(START.getTime() + HOUR_MS, 1_000);
  });
});
