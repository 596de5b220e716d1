import { expect } from 'chai';
import type { ChaosWorld } from '#test/chaos/chaos-world.ts';
import { onCluster } from '#test/chaos/cluster-faults.ts';
import { createHistory } from '#test/chaos/history.ts';
import { until } from '#test/support/until.ts';
import type { ProxiedRequest } from '#tools/local-cluster/proxied-request.ts';

const request = (method: string, path: string): ProxiedRequest => ({
  method,
  path,
  headers: {},
  body: Buffer.alloc(0),
  actor: undefined,
});
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
      history: createHistory(),
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
});
