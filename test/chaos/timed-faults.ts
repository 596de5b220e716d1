/** Faults of processes, objects and the cluster at a certain time. */
import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { until } from '#test/support/until.ts';
import type { ChaosWorld } from './chaos-world.ts';
import { BUCKET_DELETED } from './history.ts';
import type { FaultOf, LiveFault } from './live-fault.ts';
import { isOk } from './violation.ts';

export const pauseLeader = (world: ChaosWorld, fault: FaultOf<'pause-leader'>): LiveFault => ({
  act: async (signal) => {
    await delay(fault.afterMs, undefined, { signal });
    const uid = await world.leaderUid();
    world.kill(uid, 'SIGSTOP');
    try {
      await delay(fault.ms, undefined, { signal });
    } finally {
      world.kill(uid, 'SIGCONT');
    }
  },
});

export const onAPod = (
  world: ChaosWorld,
  fault: FaultOf<'delete-pod' | 'kill-zipper' | 'delete-job'>,
): LiveFault => ({
  act: async (signal) => {
    await delay(fault.afterMs, undefined, { signal });
    const pods = world.zipperPods();
    const pod = pods[fault.pick % Math.max(pods.length, 1)];
    if (pod === undefined) return;
    if (fault.kind === 'kill-zipper') world.kill(pod.uid);
    else if (fault.kind === 'delete-pod') await world.remove('api/v1', 'pods', pod.name);
    // The pod of a Job has its name with a suffix.
    else await world.remove('apis/batch/v1', 'jobs', pod.name.replace(/-[^-]+$/, ''));
  },
});

const restart = (world: ChaosWorld, compacts: boolean): Promise<void> =>
  world.alone(async () => {
    world.history.note(`the API server restarts${compacts ? ' after a compaction' : ''}`);
    if (compacts) await world.cluster.compactEtcd();
    await world.cluster.restartApiServer();
  });

const ACTS_LIMIT_MS = 60_000;

/**
 * Otherwise a slow machine would never have a leader between two restarts, which says nothing about the
 * product.
 */
const untilControllerWrote = async (world: ChaosWorld, since: number, signal: AbortSignal): Promise<void> => {
  const { seen } = world.history;
  const isWritten = (): boolean =>
    seen.some((one) => one.kind === 'exchange' && one.at > since && isOk(one.status) && 'phase' in one.notes);
  await until('the controller to change a job', isWritten, {
    limitMs: ACTS_LIMIT_MS,
    intervalMs: 200,
    signal,
  }).catch(() => undefined);
};

export const restartApiServer = (world: ChaosWorld, fault: FaultOf<'restart-api-server'>): LiveFault => ({
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
});

/** Too short for Kubernetes to notice; pods report nothing during that time. */
export const loseNode = (world: ChaosWorld, fault: FaultOf<'lose-node'>): LiveFault => ({
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
});

export const deleteBucket = (world: ChaosWorld, afterMs: number): LiveFault => ({
  act: async (signal) => {
    await delay(afterMs, undefined, { signal });
    world.history.note(BUCKET_DELETED);
    await world.ownBucket.delete();
  },
});

export const rotateSecret = (world: ChaosWorld, afterMs: number): LiveFault => ({
  act: async (signal) => {
    await delay(afterMs, undefined, { signal });
    world.history.note('the webhook secret is rotated');
    await world.webhookKeys.rotate();
  },
});

export const storeAway = (world: ChaosWorld, fault: FaultOf<'store-away'>): LiveFault => {
  let isAway = false;
  return {
    judge: (place) => (isAway && place === 'store' ? { kind: 'refuse' } : undefined),
    act: async (signal) => {
      await delay(fault.afterMs, undefined, { signal });
      world.history.note('the store is away');
      isAway = true;
      await delay(fault.ms, undefined, { signal }).finally(() => {
        isAway = false;
        world.history.note('the store is back');
      });
    },
  };
};

export const nodeClock = (world: ChaosWorld, fault: FaultOf<'node-clock'>): LiveFault => ({
  act: async (signal) => {
    await delay(fault.afterMs, undefined, { signal });
    world.history.note(`the clock of the node is ahead by ${fault.aheadMs} ms`);
    world.setNodeClock(fault.aheadMs);
    if (!signal.aborted) await once(signal, 'abort');
    world.setNodeClock(0);
  },
});
