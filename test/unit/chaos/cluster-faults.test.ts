import { expect } from 'chai';
import type { ChaosWorld } from '#test/chaos/chaos-world.ts';
import { onCluster } from '#test/chaos/cluster-faults.ts';
import { createObservations } from '#test/chaos/observations.ts';
import { until } from '#test/support/until.ts';
import type { ProxiedRequest } from '#tools/local-cluster/proxied-request.ts';

function request(method: string, path: string): ProxiedRequest {
  return {
    method,
    path,
    headers: {},
    body: Buffer.alloc(0),
    actor: undefined,
  };
}

const PART = request('PUT', '/bucket/k.zip?partNumber=1&uploadId=u1');
const COMPLETE = request('POST', '/bucket/k.zip?uploadId=u1');

describe('onCluster', () => {
  let clocks: number[];
  let world: ChaosWorld;
  let over: AbortController;

  beforeEach(() => {
    clocks = [];
    over = new AbortController();
    const parts: Pick<ChaosWorld, 'history' | 'setNodeClock'> = {
      history: createObservations(),
      setNodeClock: (aheadMs) => void clocks.push(aheadMs),
    };
    world = parts as ChaosWorld;
  });

  it('executes the first Complete without a response, and refuses every request to the store afterwards (F30)', async () => {
    const fault = { kind: 'store-away', afterMs: 0, atComplete: true, ms: 600_000 } as const;
    const { judge, act } = onCluster(world, fault);
    expect(judge?.('store', COMPLETE)).to.equal(undefined);
    const acting = act?.(over.signal).catch(() => 'over');
    await until('the fault to wait for a Complete', () => judge?.('store', COMPLETE)?.kind === 'drop');
    expect(judge?.('store', PART)).to.deep.equal({ kind: 'refuse' });
    expect(judge?.('source', PART)).to.equal(undefined);
    over.abort();
    expect(await acting).to.equal('over');
    expect(judge?.('store', PART)).to.equal(undefined);
  });

  it('takes the store away at its time and returns it (F30)', async () => {
    const { judge, act } = onCluster(world, { kind: 'store-away', afterMs: 0, atComplete: false, ms: 20 });
    const acting = act?.(over.signal);
    await until('the store to be away', () => judge?.('store', PART)?.kind === 'refuse', { intervalMs: 1 });
    await acting;
    expect(judge?.('store', PART)).to.equal(undefined);
  });

  it('sets the clock of the node until the schedule is over (F30)', async () => {
    const { act } = onCluster(world, { kind: 'node-clock', afterMs: 0, aheadMs: -3_600_000 });
    const acting = act?.(over.signal);
    await until('the clock to be set', () => clocks.length > 0);
    over.abort();
    await acting;
    expect(clocks).to.deep.equal([-3_600_000, 0]);
  });

  it('refuses every request to the store for a moment, several times (F36)', async () => {
    const fault = { kind: 'store-blips', afterMs: 0, ms: 20, upMs: 20, times: 2 } as const;
    const { judge, act } = onCluster(world, fault);
    const acting = act?.(over.signal);
    function isRefused() {
      return judge?.('store', PART)?.kind === 'refuse';
    }
    for (const isAway of [true, false, true, false])
      await until(`the store to be ${isAway ? 'away' : 'back'}`, () => isRefused() === isAway, {
        intervalMs: 1,
      });
    await acting;
    expect(isRefused()).to.equal(false);
  });

  it('has no upload while it assembles one, and carries it out after the end of the schedule (F42)', async () => {
    const { judge, act } = onCluster(world, { kind: 'store-assembles', afterMs: 0, assemblyMs: 50 });
    const acting = act?.(over.signal);
    await until('the store to be slow', () => world.history.seen.length > 0);
    const action = judge?.('store', COMPLETE);
    if (action?.kind !== 'hold') return expect.fail(`expected to hold the Complete, not ${action?.kind}`);
    for (const later of [COMPLETE, PART, request('DELETE', PART.path), request('GET', PART.path)])
      expect(judge?.('store', later)).to.include({ kind: 'response', status: 404 });
    expect(judge?.('store', request('PUT', '/bucket/k.zip?partNumber=1&uploadId=u2'))).to.equal(undefined);
    over.abort();
    await acting;
    expect(await action.until).to.equal(undefined);
    expect(judge?.('store', PART)).to.equal(undefined);
  });

  for (const [status, path, refused] of [
    [403, '/api/v1/pods', true],
    [404, '/api/v1/pods', false],
    [404, '/apis/zipjobs.dev/v1alpha1/zipjobs', true],
  ] as const)
    it(`${refused ? 'refuses' : 'passes'} ${path} while the API server starts with ${status} (F39)`, async () => {
      const { judge, act } = onCluster(world, { kind: 'api-server-starts', afterMs: 0, status, ms: 50 });
      const acting = act?.(over.signal);
      await until('the API server to start', () => world.history.seen.length > 0);
      expect(judge?.('api-server', request('GET', path))?.kind).to.equal(refused ? 'response' : undefined);
      expect(judge?.('store', PART)).to.equal(undefined);
      await acting;
      expect(judge?.('api-server', request('GET', path))).to.equal(undefined);
    });

  it('lets every third response come from an API server with another clock (F41)', async () => {
    const { judge, act } = onCluster(world, { kind: 'api-servers-disagree', afterMs: 0, aheadMs: 660_000 });
    const acting = act?.(over.signal);
    await until('the servers to disagree', () => world.history.seen.length > 0);
    const ahead = Array.from({ length: 6 }, () => judge?.('api-server', request('GET', '/api'))?.kind);
    expect(ahead).to.deep.equal([undefined, undefined, 'ahead', undefined, undefined, 'ahead']);
    over.abort();
    await acting;
  });
});
