import { expect } from 'chai';
import { LeadershipLost, runAsLeader } from '#controller/reconciling/leader-election.ts';
import { KubeError } from '#runtime/kube/client/kube-error.ts';
import { createLogger } from '#runtime/log/log.ts';
import { createLeaseStore } from '#test/support/builders/lease-store.ts';
import { createManualClock, type ManualClock } from '#test/support/builders/manual-clock.ts';

const log = createLogger('test', { level: 'silent' });

type Store = ReturnType<typeof createLeaseStore>;

interface Candidate {
  readonly outcome: Promise<unknown>;
  readonly state: () => 'waiting' | 'leading' | 'ended';
  readonly story: string[];
  stop(): void;
  /** Ends `lead`. */
  finish(error?: Error): void;
}

function candidate(
  store: Store,
  clock: ManualClock,
  options: { readonly identity: string; readonly endsOnAbort?: boolean },
): Candidate {
  const abort = new AbortController();
  const work = Promise.withResolvers<void>();
  const story: string[] = [];
  let state: 'waiting' | 'leading' | 'ended' = 'waiting';
  const outcome = runAsLeader({
    leases: store.leases,
    namespace: 'ns',
    name: 'lease',
    identity: options.identity,
    signal: abort.signal,
    log,
    clock,
    onChange: (leading) => story.push(leading ? 'leading' : 'not leading'),
    lead: (signal) => {
      state = 'leading';
      signal.addEventListener('abort', () => {
        story.push('told to stop');
        if (options.endsOnAbort !== false) work.resolve();
      });
      return work.promise;
    },
  }).then(
    () => {
      state = 'ended';
      return undefined;
    },
    (error: unknown) => {
      state = 'ended';
      return error;
    },
  );
  return {
    outcome,
    state: () => state,
    story,
    stop: () => abort.abort(),
    finish: (error) => {
      if (error) work.reject(error);
      else work.resolve();
    },
  };
}

const unreachable = new KubeError('the API server is away', { code: 'Unreachable' });

describe('runAsLeader', () => {
  it('creates the lease, renews it and releases it at the end', async () => {
    const store = createLeaseStore();
    const clock = createManualClock();
    const a = candidate(store, clock, { identity: 'a' });
    await clock.advance(0);
    expect(a.state()).to.equal('leading');
    expect(store.spec()).to.deep.equal({
      holderIdentity: 'a',
      leaseDurationSeconds: 15,
      acquireTime: '2026-01-02T03:04:05.678000Z',
      renewTime: '2026-01-02T03:04:05.678000Z',
      leaseTransitions: 0,
    });
    await clock.advance(4_500);
    expect(store.spec()?.renewTime).to.equal('2026-01-02T03:04:10.178000Z');
    expect(store.spec()?.acquireTime).to.equal('2026-01-02T03:04:05.678000Z');
    a.stop();
    await clock.advance(0);
    expect(await a.outcome).to.equal(undefined);
    expect(store.spec()).to.deep.include({
      holderIdentity: '',
      leaseDurationSeconds: 1,
      leaseTransitions: 0,
    });
    expect(a.story).to.deep.equal(['leading', 'told to stop', 'not leading']);
    expect(clock.pending).to.equal(0);
  });

  it('lets another replica lead within a retry period after a release', async () => {
    const store = createLeaseStore();
    const clock = createManualClock();
    const a = candidate(store, clock, { identity: 'a' });
    await clock.advance(0);
    const b = candidate(store, clock, { identity: 'b' });
    await clock.advance(60_000);
    expect([a.state(), b.state()]).to.deep.equal(['leading', 'waiting']);
    a.stop();
    await clock.advance(1_500);
    expect([a.state(), b.state()]).to.deep.equal(['ended', 'leading']);
    expect(store.spec()).to.deep.include({ holderIdentity: 'b', leaseTransitions: 1 });
    b.stop();
    await clock.advance(0);
  });

  it('takes over from a dead leader when the lease expires by its own clock, regardless of the times in the lease (F3)', async () => {
    const store = createLeaseStore();
    const clock = createManualClock();
    const dead = candidate(store, clock, { identity: 'dead' });
    await clock.advance(0);
    store.overwrite({ holderIdentity: 'far', renewTime: '2001-01-01T00:00:00.000000Z' });
    const b = candidate(store, clock, { identity: 'b' });
    await clock.advance(14_900);
    expect(b.state()).to.equal('waiting');
    await clock.advance(2_500);
    expect(b.state()).to.equal('leading');
    expect(await dead.outcome).to.be.instanceOf(LeadershipLost);
    b.stop();
    await clock.advance(0);
  });

  it('checks the lease of a silent leader at the moment when it expires', async () => {
    const store = createLeaseStore();
    const clock = createManualClock();
    const a = candidate(store, clock, { identity: 'a' });
    await clock.advance(0);
    store.overwrite({ holderIdentity: 'far' });
    const b = candidate(store, clock, { identity: 'b' });
    await clock.advance(15_000);
    expect(b.state()).to.equal('leading');
    expect(await a.outcome).to.be.instanceOf(LeadershipLost);
    b.stop();
    await clock.advance(0);
  });

  it('stops leading when it cannot renew within the deadline, before another replica can lead (F3)', async () => {
    const store = createLeaseStore();
    const clock = createManualClock();
    const a = candidate(store, clock, { identity: 'a', endsOnAbort: false });
    await clock.advance(0);
    store.fail(unreachable);
    await clock.advance(9_900);
    expect(a.state()).to.equal('leading');
    await clock.advance(100);
    expect(await a.outcome).to.be.instanceOf(LeadershipLost);
    expect(a.story).to.deep.equal(['leading', 'told to stop', 'not leading']);
    expect(store.holder()).to.equal('a');
    expect(clock.pending).to.equal(0);
  });

  it('keeps leading through a short outage and a conflict', async () => {
    const store = createLeaseStore();
    const clock = createManualClock();
    const a = candidate(store, clock, { identity: 'a' });
    await clock.advance(0);
    store.fail(unreachable);
    await clock.advance(7_000);
    store.fail(undefined);
    await clock.advance(30_000);
    store.overwrite({});
    await clock.advance(30_000);
    store.remove();
    await clock.advance(30_000);
    expect(a.state()).to.equal('leading');
    a.stop();
    await clock.advance(0);
    expect(await a.outcome).to.equal(undefined);
  });

  it('stops leading at once after the whole process was paused (F3)', async () => {
    const store = createLeaseStore();
    const clock = createManualClock();
    const a = candidate(store, clock, { identity: 'a' });
    await clock.advance(0);
    clock.jump(60_000);
    await clock.advance(0);
    expect(await a.outcome).to.be.instanceOf(LeadershipLost);
  });

  it('stops leading when another replica holds the lease, and does not take it back (F3)', async () => {
    const store = createLeaseStore();
    const clock = createManualClock();
    const a = candidate(store, clock, { identity: 'a' });
    await clock.advance(0);
    store.overwrite({ holderIdentity: 'b' });
    await clock.advance(2_000);
    expect(await a.outcome).to.be.instanceOf(LeadershipLost);
    expect(store.holder()).to.equal('b');
  });

  it('renews the lease until the work has ended after the stop signal', async () => {
    const store = createLeaseStore();
    const clock = createManualClock();
    const a = candidate(store, clock, { identity: 'a', endsOnAbort: false });
    await clock.advance(0);
    a.stop();
    await clock.advance(30_000);
    expect([a.state(), store.holder()]).to.deep.equal(['leading', 'a']);
    a.finish();
    await clock.advance(0);
    expect([a.state(), store.holder()]).to.deep.equal(['ended', '']);
  });

  it('releases the lease and throws when the work fails', async () => {
    const store = createLeaseStore();
    const clock = createManualClock();
    const a = candidate(store, clock, { identity: 'a' });
    await clock.advance(0);
    const failure = new Error('work');
    a.finish(failure);
    await clock.advance(0);
    expect(await a.outcome).to.equal(failure);
    expect(store.holder()).to.equal('');
  });

  it('ends without changing the lease if stopped while waiting', async () => {
    const store = createLeaseStore();
    const clock = createManualClock();
    const a = candidate(store, clock, { identity: 'a' });
    await clock.advance(0);
    const b = candidate(store, clock, { identity: 'b' });
    await clock.advance(1_000);
    b.stop();
    await clock.advance(0);
    expect([b.state(), b.story, store.holder()]).to.deep.equal(['ended', [], 'a']);
    a.stop();
    await clock.advance(0);
  });

  it('keeps trying while the API server is unavailable', async () => {
    const store = createLeaseStore();
    const clock = createManualClock();
    store.fail(unreachable);
    const a = candidate(store, clock, { identity: 'a' });
    await clock.advance(120_000);
    store.fail(undefined);
    await clock.advance(2_400);
    expect(a.state()).to.equal('leading');
    store.fail(unreachable);
    a.stop();
    await clock.advance(10_000);
    expect(await a.outcome).to.equal(undefined);
  });
});
