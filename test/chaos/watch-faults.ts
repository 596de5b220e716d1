/** Faults of the controller's open watches, and of its initial lists. */
import { setTimeout as delay } from 'node:timers/promises';
import { createRandom } from '#test/support/random.ts';
import type { OpenStream } from '#tools/local-cluster/open-stream.ts';
import { isWatch } from '#tools/local-cluster/proxied-request.ts';
import { mergeEvents } from '#tools/local-cluster/watched-events.ts';
import type { ChaosWorld } from './chaos-world.ts';
import { type FaultOf, isOf, type LiveFault } from './live-fault.ts';
import type { WatchFault } from './planned-fault.ts';

function loses(fault: FaultOf<'lose-events'>): () => boolean {
  const random = createRandom(fault.seed);
  return () => random.next() < fault.rate;
}

async function happen(stream: OpenStream, fault: WatchFault): Promise<void> {
  switch (fault.kind) {
    case 'cut-watches':
      return stream.cut();
    case 'stall-watches':
      return stream.stall(fault.ms);
    case 'hold-watches':
      return stream.hold(fault.ms);
    case 'merge-events':
      return stream.hold(fault.ms, mergeEvents);
    case 'reorder-events':
      return stream.hold(fault.ms, (events) => events.toReversed());
    case 'lose-deletes':
      return stream.lose(fault.ms, ({ type }) => type === 'DELETED');
    case 'lose-events':
      return stream.lose(fault.ms, loses(fault));
  }
}

export function onWatches(world: ChaosWorld, fault: WatchFault): LiveFault {
  return {
    act: async (signal) => {
      await delay(fault.afterMs, undefined, { signal });
      const streams = world.watches().filter(({ request }) => isOf(request, 'controller'));
      await Promise.all(streams.map((stream) => happen(stream, fault)));
    },
  };
}

const OLD_LIST_MS = 3_000;

/** Restarts the leader and returns outdated lists to its successors. */
export function oldList(world: ChaosWorld, afterMs: number): LiveFault {
  let isOn = false;
  return {
    judge: (place, request) => {
      if (!isOn || place !== 'api-server' || !isOf(request, 'controller')) return undefined;
      const isList = request.method === 'GET' && !isWatch(request) && /[?&]limit=/.test(request.path);
      return isList ? { kind: 'replay' } : undefined;
    },
    act: async (signal) => {
      await delay(afterMs, undefined, { signal });
      isOn = true;
      world.kill(await world.leaderUid());
      await delay(OLD_LIST_MS, undefined, { signal }).finally(() => {
        isOn = false;
      });
    },
  };
}
