import { setImmediate } from 'node:timers/promises';
import { expect } from 'chai';
import { createLead } from '#controller/reconciling/controller.ts';
import { createWorkQueue } from '#controller/reconciling/work-queue.ts';
import { createLogger } from '#runtime/log/log.ts';
import { createManualClock } from '#test/support/builders/manual-clock.ts';

describe('createLead', () => {
  it('reconciles everything at the start, and later only what may change or is due (G3)', async () => {
    const clock = createManualClock();
    const queue = createWorkQueue({ log: createLogger('test', { level: 'silent' }), clock });
    const changing = ['runs'];
    let reconciled: string[] = [];
    const lead = createLead({
      controllers: [
        {
          queue,
          workers: 1,
          keys: () => ['rests', 'expires', ...changing],
          changingKeys: () => changing,
          reconcile: (key) => {
            if (key === 'expires' && reconciled.length < 3) queue.addAfter(key, 150_000);
            reconciled.push(key);
            return Promise.resolve();
          },
        },
      ],
      synced: () => Promise.resolve(),
      fullReconcileMs: 60_000,
      clock,
    });
    async function during(ms: number): Promise<readonly string[]> {
      reconciled = [];
      await clock.advance(ms);
      return reconciled;
    }
    const stop = new AbortController();
    const leading = lead(stop.signal);
    expect(await during(0)).to.deep.equal(['runs', 'rests', 'expires']);
    expect(await during(120_000)).to.deep.equal(['runs', 'runs']);
    changing.push('new');
    expect(await during(60_000)).to.deep.equal(['expires', 'runs', 'new']);
    stop.abort();
    await leading;
    expect(clock.pending).to.equal(0);
  });

  it('lets the process receive events while it adds the keys of many objects (G3)', async () => {
    const clock = createManualClock();
    const queue = createWorkQueue({ log: createLogger('test', { level: 'silent' }), clock });
    const reconciled = Promise.withResolvers<void>();
    const lead = createLead({
      controllers: [
        {
          queue,
          workers: 1,
          keys: () => Array.from({ length: 2_500 }, (_, n) => `rest-${n}`),
          changingKeys: () => [],
          reconcile: () => reconciled.promise,
        },
      ],
      synced: () => Promise.resolve(),
      fullReconcileMs: 60_000,
      clock,
    });
    const stop = new AbortController();
    const leading = lead(stop.signal);
    await setImmediate();
    expect(queue.depth).to.be.within(1, 2_000);
    while (queue.depth < 2_499) await setImmediate();
    stop.abort();
    reconciled.resolve();
    await leading;
    expect(clock.pending).to.equal(0);
  });
});
