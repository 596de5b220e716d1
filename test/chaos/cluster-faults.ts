/** Faults of what all processes share, at a certain time: the API server, the node and the store. */
import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { until } from '#test/support/until.ts';
import type { ChaosWorld } from './chaos-world.ts';
import { databaseAway } from './follow-archive.ts';
import type { FaultOf, LiveFault } from './live-fault.ts';
import { STORE_AWAY } from './observations.ts';
import type { ClusterFault } from './planned-fault.ts';
import { isComplete } from './request-notes.ts';
import { apiServerStarts, apiServersDisagree, storeAssembles, storeBlips } from './server-faults.ts';
import { isOk } from './violation.ts';

function restart(world: ChaosWorld, compacts: boolean): Promise<void> {
  return world.alone(async () => {
    world.history.note(`the API server restarts${compacts ? ' after a compaction' : ''}`);
    if (compacts) await world.cluster.compactEtcd();
    await world.cluster.restartApiServer();
  });
}

const ACTS_LIMIT_MS = 60_000;

/**
 * Otherwise a slow machine would never have a leader between two restarts, which says nothing about the
 * product.
 */
async function untilControllerWrote(world: ChaosWorld, since: number, signal: AbortSignal): Promise<void> {
  const { seen } = world.history;
  function isWritten(): boolean {
    return seen.some(
      (one) => one.kind === 'exchange' && one.at > since && isOk(one.status) && 'phase' in one.notes,
    );
  }
  await until('the controller to change a job', isWritten, {
    limitMs: ACTS_LIMIT_MS,
    intervalMs: 200,
    signal,
  }).catch(() => undefined);
}

function restartApiServer(world: ChaosWorld, fault: FaultOf<'restart-api-server'>): LiveFault {
  return {
    act: async (signal) => {
      const { afterMs, compacts, again = { times: 1, upMs: 0 } } = fault;
      await delay(afterMs, undefined, { signal });
      for (let n = 0; n < again.times; n += 1) {
        await restart(world, compacts !== (n % 2 === 1));
        const since = performance.now();
        await delay(again.upMs, undefined, { signal });
        if (n + 1 < again.times) await untilControllerWrote(world, since, signal);
      }
    },
  };
}

/** Too short for Kubernetes to notice; pods report nothing during that time. */
function loseNode(world: ChaosWorld, fault: FaultOf<'lose-node'>): LiveFault {
  return {
    act: async (signal) => {
      await delay(fault.afterMs, undefined, { signal });
      await world.alone(async () => {
        world.history.note('the node is lost');
        await world.cluster.node.stop();
        await delay(fault.ms);
        await world.cluster.node.start();
        world.history.note('the node is back');
      });
    },
  };
}

function storeAway(world: ChaosWorld, fault: FaultOf<'store-away'>): LiveFault {
  let state: 'up' | 'leaving' | 'away' = 'up';
  const left = Promise.withResolvers<void>();
  function leave(): void {
    state = 'away';
    world.history.note(STORE_AWAY);
    left.resolve();
  }
  return {
    judge: (place, request) => {
      if (place !== 'store' || state === 'up') return undefined;
      if (state === 'away') return { kind: 'refuse' };
      if (!isComplete(request)) return undefined;
      leave();
      return { kind: 'drop' };
    },
    act: async (signal) => {
      await delay(fault.afterMs, undefined, { signal });
      if (fault.atComplete) state = 'leaving';
      else leave();
      await Promise.race([left.promise, once(signal, 'abort')]);
      await delay(fault.ms, undefined, { signal }).finally(() => {
        state = 'up';
        world.history.note('the store is back');
      });
    },
  };
}

function nodeClock(world: ChaosWorld, fault: FaultOf<'node-clock'>): LiveFault {
  return {
    act: async (signal) => {
      await delay(fault.afterMs, undefined, { signal });
      world.history.note(`the clock of the node is ahead by ${fault.aheadMs} ms`);
      world.setNodeClock(fault.aheadMs);
      if (!signal.aborted) await once(signal, 'abort');
      world.setNodeClock(0);
    },
  };
}

/** Its times count from now. */
export function onCluster(world: ChaosWorld, fault: ClusterFault): LiveFault {
  switch (fault.kind) {
    case 'restart-api-server':
      return restartApiServer(world, fault);
    case 'lose-node':
      return loseNode(world, fault);
    case 'store-away':
      return storeAway(world, fault);
    case 'node-clock':
      return nodeClock(world, fault);
    case 'database-away':
      return databaseAway(world, fault);
    case 'store-blips':
      return storeBlips(world, fault);
    case 'store-assembles':
      return storeAssembles(world, fault);
    case 'api-server-starts':
      return apiServerStarts(world, fault);
    case 'api-servers-disagree':
      return apiServersDisagree(world, fault);
  }
}
