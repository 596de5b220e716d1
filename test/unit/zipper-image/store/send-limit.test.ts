import { expect } from 'chai';
import { SendLimit } from '#zipper-image/store/send-limit.ts';

const SLOW_DOWN = new Error('slow down');

/** Sends that end when the test says so. */
function setUp(most: number) {
  const limit = new SendLimit(most, (error) => error === SLOW_DOWN);
  const open: PromiseWithResolvers<void>[] = [];
  function start(): void {
    limit
      .run(() => {
        const sent = Promise.withResolvers<void>();
        open.push(sent);
        return sent.promise;
      })
      .catch(() => undefined);
  }
  async function end(error?: Error): Promise<void> {
    const sent = open.shift();
    if (error) sent?.reject(error);
    else sent?.resolve();
    await new Promise((resolve) => setImmediate(resolve));
  }
  return { start, end, active: () => open.length };
}

describe('SendLimit', () => {
  it('sends half as many parts at a time after the store throttled, and one more with each round that it took (P110)', async () => {
    const { start, end, active } = setUp(8);
    for (let part = 0; part < 40; part += 1) start();
    expect(active()).to.equal(8);
    // The others were sent before the store throttled.
    for (const [error, left] of [
      [SLOW_DOWN, 7],
      [SLOW_DOWN, 6],
      [undefined, 5],
      [undefined, 4],
      [undefined, 4],
    ] as const) {
      await end(error);
      expect(active()).to.equal(left);
    }
    for (let taken = 0; taken < 3 + 4; taken += 1) await end();
    expect(active()).to.equal(5);
  });

  it('sends at least one at a time, and as many as before when nothing throttles any more (P110)', async () => {
    const { start, end, active } = setUp(3);
    for (let part = 0; part < 30; part += 1) start();
    for (let refused = 0; refused < 8; refused += 1) await end(SLOW_DOWN);
    expect(active()).to.equal(1);
    for (let taken = 0; taken < 1 + 2; taken += 1) await end();
    expect(active()).to.equal(3);
  });

  it('keeps its number after other errors', async () => {
    const { start, end, active } = setUp(2);
    for (let part = 0; part < 5; part += 1) start();
    await end(new Error('reset'));
    expect(active()).to.equal(2);
  });
});
