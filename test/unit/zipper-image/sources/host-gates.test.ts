import { expect } from 'chai';
import { HostGates } from '#zipper-image/sources/host-gates.ts';
import type { OriginReport } from '#zipper-image/sources/origin-report.ts';
import { SourceFaultError } from '#zipper-image/sources/source-error.ts';
import type { Turn } from '#zipper-image/sources/turn.ts';

const HOST = 'http://a.example';
const MINUTE = 60_000;
const never = new AbortController().signal;
const served: OriginReport = { kind: 'served' };

function throttled(waitMs?: number): OriginReport {
  return { kind: 'throttled', status: 429, waitMs };
}

describe('HostGates', () => {
  let now = 0;
  let gates: HostGates;
  let waits: number[] = [];
  /** Readings of the clock before it advances. */
  let early = Infinity;
  beforeEach(() => {
    now = 0;
    waits = [];
    early = Infinity;
    gates = new HostGates({
      connections: 8,
      readers: 3,
      now: () => (early-- > 0 ? now : now + 1),
      probes: { leastMs: 100, mostMs: MINUTE },
      onThrottled: ({ waitMs }) => waits.push(waitMs),
    });
  });

  function enter(count: number, host = HOST) {
    return Promise.all(Array.from({ length: count }, (_, index) => gates.enter(host, index, never)));
  }
  function end(turns: readonly Turn[], report: OriginReport): void {
    for (const turn of turns) turn.responded(report);
    for (const turn of turns) turn.leave();
  }
  /** True if another request may start. */
  async function isOpen(index = 99): Promise<boolean> {
    const stop = new AbortController();
    const entering = gates.enter(HOST, index, stop.signal).then(
      (turn) => {
        turn.leave();
        return true;
      },
      () => false,
    );
    stop.abort();
    return await entering;
  }
  async function request(report: OriginReport, index = 0): Promise<Turn> {
    const turn = await gates.enter(HOST, index, never);
    end([turn], report);
    return turn;
  }
  function failure(index = 0): Promise<unknown> {
    return gates.enter(HOST, index, never).catch((error: unknown) => error);
  }

  it('lets fewer requests start at an origin of which a large file is read by ranges (P111)', async () => {
    const turns = await enter(6);
    expect(await isOpen()).to.equal(true);
    gates.capReaders(HOST);
    for (const turn of turns.slice(0, 3)) end([turn], served);
    expect(await isOpen()).to.equal(false);
    end(turns.slice(3, 4), served);
    expect(await isOpen()).to.equal(true);
    end(turns.slice(4), served);
    for (let round = 0; round < 10; round += 1) await request(served);
    expect(gates.limitOf(HOST)).to.equal(3);
    expect(gates.limitOf('http://b.example')).to.equal(8);
  });

  it('halves the limit once per wave of rejections, with a minimum of one (D18)', async () => {
    for (const limit of [4, 2, 1, 1]) {
      const wave = await enter(gates.limitOf(HOST));
      now += 10;
      end(wave, throttled());
      now += 1000;
      expect(gates.limitOf(HOST)).to.equal(limit);
      await request(served);
      for (let n = 1; n < gates.limitOf(HOST); n += 1) await request(served);
    }
    expect(gates.limitOf('http://b.example')).to.equal(8);
  });

  it('raises the limit by one per round of served requests, up to the maximum (D18)', async () => {
    end(await enter(8), throttled());
    now += 1000;
    // One at a time after the pause, and then as many as before.
    for (let n = 0; n < 3; n += 1) await request(served);
    const limits: number[] = [];
    for (let n = 0; n < 4 + 5 + 6 + 7 + 8; n += 1) {
      now += 1;
      await request(served);
      limits.push(gates.limitOf(HOST));
    }
    expect([limits[2], limits[3], limits[7], limits[8], limits[14], limits[21], limits.at(-1)]).to.deep.equal(
      [4, 5, 5, 6, 7, 8, 8],
    );
  });

  it('sends one request at a time while an origin throttles, and waits as long as it requests (FD2)', async () => {
    end(await enter(2), throttled(5000));
    now = 4999;
    expect(await isOpen()).to.equal(false);
    now = 5000;
    const probe = await gates.enter(HOST, 0, never);
    expect(await isOpen()).to.equal(false);
    end([probe], served);
    expect(await isOpen()).to.equal(true);
    expect(waits).to.deep.equal([5000]);
  });

  it('limits each wait (FD2) (FD19)', async () => {
    await request(throttled(3_600_000));
    now = MINUTE;
    expect(await isOpen()).to.equal(true);
    expect(waits).to.deep.equal([MINUTE]);
  });

  it('learns from a probe that is throttled alone that connections are not the reason (FD2)', async () => {
    end(await enter(8), throttled());
    expect(gates.limitOf(HOST)).to.equal(4);
    now = 1000;
    await request(throttled());
    expect(gates.limitOf(HOST)).to.equal(8);
  });

  it('ends requests to an origin that has throttled every one for ten minutes, until a probe is served (FD2)', async () => {
    for (now = 0; now < 10 * MINUTE; now += MINUTE)
      expect((await request(throttled(MINUTE))).isExcused).to.equal(true);
    const probe = await gates.enter(HOST, 0, never);
    const waiting = [failure(1), failure(2)];
    end([probe], throttled(MINUTE));
    const next = await request(throttled(MINUTE), 3);
    for (const error of [...(await Promise.all(waiting)), probe.fault, next.fault])
      expect(error)
        .to.be.instanceOf(SourceFaultError)
        .that.satisfies(
          ({ fault, message }: SourceFaultError) =>
            message.includes('10 minutes') && fault.httpStatus === 429,
        )
        .and.includes({ code: 'SourceUnavailable', retryable: false });
    await request(served);
    expect(await isOpen()).to.equal(true);
  });

  it('waits while an origin that throttles sends a file, and for ten minutes after its end (FD2)', async () => {
    const sending = await gates.enter(HOST, 0, never);
    sending.responded(served);
    for (; now < 30 * MINUTE; now += MINUTE)
      expect((await request(throttled(MINUTE), 1)).fault).to.equal(undefined);
    sending.leave();
    while (!(await request(throttled(MINUTE), 1)).fault) now += MINUTE;
    expect(now).to.be.within(40 * MINUTE, 41 * MINUTE);
  });

  it('closes no more for a file that is throttled again and again while others are served, and ends it after ten minutes (FD2)', async () => {
    let requests = 0;
    for (; requests < 100; requests += 1) {
      const { fault, ownWaitMs } = await request(throttled(), 1);
      if (fault) break;
      if (ownWaitMs > 0) expect(await isOpen()).to.equal(true);
      now += ownWaitMs > 0 ? ownWaitMs : 1000;
      await request(served, 2 + requests);
    }
    expect(now).to.be.within(10 * MINUTE, 12 * MINUTE);
    expect(requests).to.be.within(20, 60);
  });

  it('probes with another file after one that was throttled (FD2)', async () => {
    await request(throttled(), 1);
    now += 1000;
    const probe = await gates.enter(HOST, 1, never);
    probe.responded(throttled());
    const entered: number[] = [];
    const waiting = [1, 5, 3].map(async (index) => {
      const turn = await gates.enter(HOST, index, never);
      entered.push(index);
      turn.responded(served);
      turn.leave();
    });
    now += 1000;
    probe.leave();
    await Promise.all(waiting);
    expect(entered).to.deep.equal([3, 1, 5]);
  });

  describe('connections that are refused', () => {
    it('lower the limit to those that are accepted, at no cost (FD3)', async () => {
      const turns = await enter(8);
      turns[0]?.responded(served);
      const excused = await Promise.all(turns.slice(3).map((turn) => turn.refused()));
      expect(excused).to.deep.equal([true, true, true, true, true]);
      expect(gates.limitOf(HOST)).to.equal(3);
      expect(await isOpen()).to.equal(false);
    });

    it('wait for the responses to requests that are under way (FD3)', async () => {
      const turns = await enter(3);
      const refusals = turns.slice(1).map((turn) => turn.refused());
      turns[0]?.responded(served);
      expect(await Promise.all(refusals)).to.deep.equal([true, true]);
      expect(gates.limitOf(HOST)).to.equal(1);
    });

    it('count if no request gets a response (FD3)', async () => {
      const turns = await enter(3);
      const refusals = turns.slice(1).map((turn) => turn.refused());
      turns[0]?.leave();
      expect(await Promise.all(refusals)).to.deep.equal([false, false]);
      expect(gates.limitOf(HOST)).to.equal(8);
    });

    it('count if the request was the only one, although the origin has served others (FD3)', async () => {
      await request(served);
      const [turn] = await enter(1);
      expect(await turn?.refused()).to.equal(false);
      expect(gates.limitOf(HOST)).to.equal(8);
    });

    it('count for a file that is refused again, unless the origin has carried others, but fewer (FD3)', async () => {
      /** Serves all but the first of a wave, which is refused. */
      async function refuseFirst(count: number): Promise<boolean | undefined> {
        const turns = await enter(count);
        now += 1;
        for (const turn of turns.slice(1)) turn.responded(served);
        const isExcused = await turns[0]?.refused();
        now += 1;
        for (const turn of turns) turn.leave();
        return isExcused;
      }
      expect(await refuseFirst(8)).to.equal(true);
      expect(gates.limitOf(HOST)).to.equal(7);
      // Only six others were served.
      expect(await refuseFirst(7)).to.equal(true);
      expect(gates.limitOf(HOST)).to.equal(6);
      end(await Promise.all([1, 2, 3, 4, 5, 6].map((index) => gates.enter(HOST, index, never))), served);
      expect(await refuseFirst(5)).to.equal(false);
    });

    it('let the limit grow back, more slowly after each refusal (FD3)', async () => {
      const rounds: number[] = [];
      for (let file = 0; file < 3; file += 1) {
        const turns = await enter(gates.limitOf(HOST));
        turns[0]?.responded(served);
        now += 1;
        await Promise.all(turns.slice(6).map((turn) => turn.refused()));
        for (const turn of turns) turn.leave();
        expect(gates.limitOf(HOST)).to.equal(6);
        let count = 0;
        for (; gates.limitOf(HOST) === 6 && count < 100; count += 1) {
          now += 1;
          await request(served, 6);
        }
        rounds.push(count);
      }
      expect(rounds).to.deep.equal([2, 4, 8]);
    });
  });

  describe('an origin that refused a connection, and sends a large file', () => {
    async function refuse(index: number): Promise<boolean> {
      return (await gates.enter(HOST, index, never)).refused();
    }
    /** The large file is under way. */
    async function startFile(): Promise<Turn> {
      const turn = await gates.enter(HOST, 0, never);
      turn.responded(served);
      return turn;
    }

    it('is tried with one more after a while, and gets more if that one is served (FD3)', async () => {
      await startFile();
      expect(await refuse(0)).to.equal(true);
      expect(gates.limitOf(HOST)).to.equal(1);
      now += 3_000;
      expect(await isOpen()).to.equal(false);
      now += 200;
      const trial = await gates.enter(HOST, 0, never);
      expect(await isOpen()).to.equal(false);
      end([trial], served);
      expect(gates.limitOf(HOST)).to.equal(2);
    });

    it('is tried more rarely with each refusal, at no cost (FD3)', async () => {
      await startFile();
      expect(await refuse(1)).to.equal(true);
      for (let waitMs = 3_200; waitMs < 60_000; waitMs *= 2) {
        now += waitMs - 100;
        expect(await isOpen()).to.equal(false);
        now += 200;
        expect(await refuse(1)).to.equal(true);
        expect(gates.limitOf(HOST)).to.equal(1);
      }
    });

    it('is tried with the file that was refused least often (FD3)', async () => {
      await startFile();
      expect(await refuse(1)).to.equal(true);
      const tried: number[] = [];
      for (const waitMs of [3_300, 6_500, 12_900]) {
        const stop = new AbortController();
        const entering = [1, 2, 3].map(async (index) => {
          const turn = await gates.enter(HOST, index, stop.signal);
          return { index, turn };
        });
        now += waitMs;
        // Those that wait have the same right, or a better one.
        expect(await isOpen(1)).to.equal(false);
        const { index, turn } = await Promise.race(entering);
        tried.push(index);
        expect(await turn.refused()).to.equal(true);
        stop.abort();
      }
      expect(tried).to.deep.equal([2, 3, 1]);
    });

    it('charges a file that is refused again although another was accepted, and is tried with the next at once (FD3)', async () => {
      await startFile();
      expect(await refuse(1)).to.equal(true);
      now += 3_300;
      const other = await gates.enter(HOST, 2, never);
      other.responded(served);
      expect(gates.limitOf(HOST)).to.equal(2);
      now += 3_300;
      expect(await refuse(1)).to.equal(false);
      expect(gates.limitOf(HOST)).to.equal(2);
      expect(await refuse(3)).to.equal(true);
      now += 3_300;
      expect(await isOpen()).to.equal(false);
    });

    it('is not tried while requests to it end (FD3)', async () => {
      await startFile();
      const other = await startFile();
      expect(await refuse(1)).to.equal(true);
      end([other], served);
      for (let second = 0; second < 20; second += 1) {
        now += 1_000;
        const turns = await enter(gates.limitOf(HOST) - 1);
        expect(await isOpen()).to.equal(false);
        end(turns, served);
      }
      expect(gates.limitOf(HOST)).to.equal(8);
    });
  });

  it('opens although the time comes between two readings of the clock (FD2)', async () => {
    await request(throttled(1000));
    now = 999;
    early = 2;
    const turn = await gates.enter(HOST, 1, never);
    turn.leave();
  });

  it('admits the earliest file of the list first', async () => {
    const turns = await enter(8);
    const entered: number[] = [];
    const waiting = [12, 9, 11].map(async (index) => {
      const turn = await gates.enter(HOST, index, never);
      entered.push(index);
      turn.leave();
    });
    turns[0]?.leave();
    turns[0]?.leave();
    await Promise.all(waiting);
    expect(entered).to.deep.equal([9, 11, 12]);
  });

  it('stops waiting with the reason of the signal', async () => {
    await enter(8);
    const stop = new AbortController();
    const waiting = gates.enter(HOST, 9, stop.signal).catch((error: unknown) => error);
    const reason = new Error('stop');
    stop.abort(reason);
    expect(await waiting).to.equal(reason);
    expect(await gates.enter(HOST, 9, stop.signal).catch((error: unknown) => error)).to.equal(reason);
  });
});
