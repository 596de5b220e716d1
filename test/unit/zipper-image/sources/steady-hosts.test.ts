import { mock } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { expect } from 'chai';
import { HostGates } from '#zipper-image/sources/host-gates.ts';

const HOST = 'http://a.example';
const WORKERS = 32;
const MINUTE = 60_000;
const STEP_MS = 50;
const never = new AbortController().signal;

/** True if the host serves the file. */
type Host = (index: number, now: number) => boolean;

/** A token bucket of one token, as nginx with `limit_req` and no burst. */
function steady(perMinute: number): Host {
  let nextAt = 0;
  return (_index, now) => {
    if (now < nextAt) return false;
    nextAt = now + MINUTE / perMinute;
    return true;
  };
}

function sleep(ms: number) {
  return new Promise<void>((resolve) => setTimeout(resolve, ms));
}

/** Reads files from a host that throttles without a hint, on a simulated clock. Ends at the first failure. */
async function readFiles(files: number, host: Host) {
  let now = 0;
  let next = 0;
  let served = 0;
  let requests = 0;
  let working = WORKERS;
  let failure: unknown;
  const gates = new HostGates({
    connections: WORKERS,
    probes: { leastMs: 62.5, mostMs: MINUTE },
    now: () => now,
    onThrottled: () => undefined,
  });
  /** True if the file needs no other request. */
  async function request(index: number): Promise<boolean> {
    const turn = await gates.enter(HOST, index, never);
    requests += 1;
    await sleep(60 + ((requests * 7919 + 1) % 190));
    const isServed = host(index, now);
    turn.responded(isServed ? { kind: 'served' } : { kind: 'throttled', status: 429, waitMs: undefined });
    if (turn.fault) throw turn.fault;
    if (isServed) await sleep(20 + ((requests * 104_729 + 1) % 380));
    turn.leave();
    if (isServed) served += 1;
    else await sleep(turn.ownWaitMs);
    return isServed;
  }
  async function work(): Promise<void> {
    try {
      while (next < files) {
        const index = next++;
        while (!(await request(index)));
      }
    } catch (error) {
      failure ??= error;
    }
    working -= 1;
  }
  mock.timers.enable({ apis: ['setTimeout'] });
  try {
    for (let n = 0; n < WORKERS; n += 1) void work();
    for (; working > 0 && failure === undefined && now < 90 * MINUTE; now += STEP_MS) {
      mock.timers.tick(STEP_MS);
      await setImmediate();
    }
  } finally {
    mock.timers.reset();
  }
  return { served, failure, now };
}

describe('HostGates at a host that throttles without a hint', () => {
  it('get every file at a steady rate of 20 a minute (FD2)', async () => {
    const { served, failure } = await readFiles(600, steady(20));
    expect({ served, failure }).to.deep.equal({ served: 600, failure: undefined });
  });

  it('serve others meanwhile if files are never served, and fail then (FD2)', async () => {
    const host = steady(20);
    const { served, failure, now } = await readFiles(
      1000,
      (index, at) => (index % 7 !== 5 || index >= 7 * 16) && host(index, at),
    );
    expect(String(failure)).to.match(/its host has served others, but throttled it for 10 minutes/);
    expect(served).to.be.above(200);
    expect(now).to.be.below(30 * MINUTE);
  });
});
