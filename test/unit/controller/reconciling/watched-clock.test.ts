import { expect } from 'chai';
import { createEvents } from '#controller/reconciling/events.ts';
import { createWatchedClock } from '#controller/reconciling/watched-clock.ts';
import type { Event } from '#runtime/kube/resources.ts';
import { createLogger } from '#runtime/log/log.ts';
import { createManualClock } from '#test/support/builders/manual-clock.ts';

const lease = { namespace: 'zipjobs-system', name: 'zipjobs-controller' };

describe('API servers whose clocks differ', () => {
  it('are counted for each response, and reported with an Event of the Lease every ten minutes (F41)', async () => {
    const clock = createManualClock();
    const events: Event[] = [];
    const lines: string[] = [];
    let counted = 0;
    const log = createLogger('test', {
      level: 'warn',
      destination: { write: (line: string) => lines.push(line) },
    });
    const client = {
      create: (event: Event) => {
        events.push(event);
        return Promise.resolve(event);
      },
      mergePatch: () => Promise.reject(new Error('it is new')),
    };
    const watched = createWatchedClock(clock, () => {
      counted += 1;
    });
    function hear(aheadMs: number): void {
      watched.clock.hear(new Date(clock.date().getTime() + aheadMs).toUTCString(), clock.monotonicMs());
    }
    hear(0);
    hear(660_000);
    watched.reportTo({
      lease,
      record: createEvents({ kind: 'Lease', events: client, instance: 'pod', clock, log }),
      log,
    });
    for (const minutes of [0, 1, 8, 1]) {
      await clock.advance(minutes * 60_000);
      hear(0);
      hear(660_000);
    }
    await clock.advance(0);
    expect(counted).to.equal(5);
    expect(lines).to.have.length(2);
    expect(events.map(({ involvedObject }) => involvedObject)).to.deep.equal(
      Array.from({ length: 2 }, () => ({ apiVersion: 'coordination.k8s.io/v1', kind: 'Lease', ...lease })),
    );
    expect(events[0]?.reason).to.equal('ClocksDiffer');
    expect(events[0]?.message).to.match(/differ by 6(59|60) s/);
  });
});
