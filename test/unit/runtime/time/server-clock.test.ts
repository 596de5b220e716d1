import { expect } from 'chai';
import type { Clock } from '#runtime/time/clock.ts';
import { createServerClock } from '#runtime/time/server-clock.ts';
import { createManualClock } from '#test/support/builders/manual-clock.ts';

const START = new Date('2026-03-01T10:00:00.400Z');
const HOUR_MS = 3_600_000;

/** A local clock that a test can set, with a monotonic clock that it cannot set. */
function createSettableClock() {
  const clock = createManualClock(START);
  let offMs = 0;
  const local: Clock = {
    monotonicMs: () => clock.monotonicMs(),
    after: (delayMs, task) => clock.after(delayMs, task),
    date: () => new Date(clock.date().getTime() + offMs),
  };
  function set(ms: number): void {
    offMs = ms;
  }
  /** The Date header of a server with a correct clock. */
  function header(): string {
    return clock.date().toUTCString();
  }
  return { clock, local, set, header };
}

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

  it('ignores an invalid date', () => {
    const { clock, local } = createSettableClock();
    const server = createServerClock(local);
    for (const header of ['yesterday', undefined, ['a', 'b']]) server.hear(header, clock.monotonicMs());
    expect(server.date()).to.deep.equal(START);
  });

  const MINUTE_MS = 60_000;

  /** Responses of servers whose clocks are ahead by these times, one a second. Returns what the clock says after each. */
  function hearAll(aheadMs: readonly number[], localAheadMs = 0) {
    const { clock, local, set } = createSettableClock();
    set(localAheadMs);
    const contradictions: number[] = [];
    const server = createServerClock(local, (ms) => contradictions.push(ms));
    const errors = aheadMs.map((ahead) => {
      clock.jump(1_000);
      server.hear(new Date(clock.date().getTime() + ahead).toUTCString(), clock.monotonicMs());
      return Math.round((server.date().getTime() - clock.date().getTime()) / MINUTE_MS);
    });
    return { errors, contradictions };
  }
  function repeated(ahead: readonly number[], times: number): readonly number[] {
    return Array.from({ length: times }, () => ahead).flat();
  }

  for (const [what, localAheadMs] of [
    ['right', 0],
    ['wrong', -HOUR_MS],
  ] as const)
    it(`keeps its time although one of three servers is 11 minutes ahead, if the local clock is ${what} (F41)`, () => {
      const ahead = [0, ...repeated([11 * MINUTE_MS, 11 * MINUTE_MS, 0, 0, 11 * MINUTE_MS, 0], 20)];
      const { errors, contradictions } = hearAll(ahead, localAheadMs);
      expect(new Set(errors)).to.deep.equal(new Set([0]));
      expect(contradictions).to.have.length(60);
      for (const ms of contradictions) expect(ms).to.be.closeTo(11 * MINUTE_MS, 2_000);
    });

  it('leaves the time of a wrong server that it heard first at once, if another agrees with the local clock (F41)', () => {
    const { errors } = hearAll([11 * MINUTE_MS, 0, ...repeated([11 * MINUTE_MS, 11 * MINUTE_MS, 0], 30)]);
    expect([errors[0], ...new Set(errors.slice(1))]).to.deep.equal([11, 0]);
  });

  it('follows a server whose clock was set after 30 s without the old time, not after five responses (F41)', () => {
    const { errors } = hearAll([0, ...repeated([HOUR_MS], 40)]);
    expect(errors.indexOf(60)).to.equal(30);
    expect(new Set(errors.slice(30))).to.deep.equal(new Set([60]));
    const { errors: rare } = hearAll([
      0,
      HOUR_MS,
      2 * HOUR_MS,
      HOUR_MS,
      2 * HOUR_MS,
      ...repeated([HOUR_MS, 2 * HOUR_MS], 30),
    ]);
    expect(new Set(rare), 'servers that also contradict each other').to.deep.equal(new Set([0]));
  });

  it('does not count servers that differ by less than two seconds as contradictions (F41)', () => {
    const { contradictions, errors } = hearAll(repeated([0, 900, -900], 20));
    expect([contradictions, new Set(errors)]).to.deep.equal([[], new Set([0])]);
  });
});
