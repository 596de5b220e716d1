import { expect } from 'chai';
import { createLeaseLock, type LeaseLock } from '#controller/reconciling/lease-lock.ts';
import { microTime } from '#runtime/kube/micro-time.ts';
import { createLeaseStore } from '#test/support/builders/lease-store.ts';
import { createManualClock } from '#test/support/builders/manual-clock.ts';

describe('microTime', () => {
  it('has six fractional digits', () => {
    expect(microTime(new Date(Date.UTC(2026, 0, 2, 3, 4, 5, 6)))).to.equal('2026-01-02T03:04:05.006000Z');
  });
});

describe('createLeaseLock', () => {
  const { signal } = new AbortController();
  function setUp() {
    const store = createLeaseStore();
    const clock = createManualClock();
    function lockOf(identity: string): LeaseLock {
      return createLeaseLock({
        leases: store.leases,
        namespace: 'n',
        name: 'l',
        identity,
        leaseDurationMs: 15_000,
        clock,
      });
    }
    return { store, clock, lockOf };
  }

  it('waits for the lease duration when a held lease is deleted, because its holder may not know yet', async () => {
    const { store, clock, lockOf } = setUp();
    const waiting = lockOf('b');
    expect(await lockOf('a').acquire(signal)).to.equal(true);
    expect(await waiting.acquire(signal)).to.equal(false);
    store.remove();
    await clock.advance(14_999);
    expect(await waiting.acquire(signal)).to.equal(false);
    await clock.advance(1);
    expect(await waiting.acquire(signal)).to.equal(true);
  });

  it('acquires a lease at once if it was deleted before it was seen', async () => {
    const { store, lockOf } = setUp();
    expect(await lockOf('a').acquire(signal)).to.equal(true);
    store.remove();
    expect(await lockOf('of the next release').acquire(signal)).to.equal(true);
  });

  it('acquires a lease at once if it was released and then deleted', async () => {
    const { store, lockOf } = setUp();
    const [before, after] = [lockOf('a'), lockOf('b')];
    await before.acquire(signal);
    await before.release(signal);
    expect(await after.acquire(signal)).to.equal(true);
    await after.release(signal);
    await before.acquire(signal);
    await before.release(signal);
    store.remove();
    expect(await after.acquire(signal)).to.equal(true);
  });
});
