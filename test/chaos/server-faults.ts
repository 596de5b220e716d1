/** Faults of a store or an API server that runs: short absences, slow assembly, a start, and a wrong clock. */
import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import type { FaultAction } from '#tools/local-cluster/fault-proxy.ts';
import type { ChaosWorld } from './chaos-world.ts';
import type { FaultOf, LiveFault } from './live-fault.ts';
import { isComplete } from './request-notes.ts';

export function storeBlips(world: ChaosWorld, fault: FaultOf<'store-blips'>): LiveFault {
  let isAway = false;
  return {
    judge: (place) => (place === 'store' && isAway ? { kind: 'refuse' } : undefined),
    act: async (signal) => {
      await delay(fault.afterMs, undefined, { signal });
      for (let n = 0; n < fault.times; n += 1) {
        world.history.note(`the store blips for ${fault.ms} ms`);
        isAway = true;
        await delay(fault.ms, undefined, { signal }).finally(() => {
          isAway = false;
        });
        await delay(fault.upMs, undefined, { signal });
      }
    },
  };
}

const GONE: FaultAction = {
  kind: 'response',
  status: 404,
  body: '<Error><Code>NoSuchUpload</Code><Message>the upload is being completed</Message></Error>',
};

function uploadIdOf(path: string): string | undefined {
  return new URL(path, 'http://store').searchParams.get('uploadId') ?? undefined;
}

/** A started assembly ends, whatever happens to the client and the schedule. */
export function storeAssembles(world: ChaosWorld, fault: FaultOf<'store-assembles'>): LiveFault {
  let isSlow = false;
  const assemblies = new Map<string, Promise<void>>();
  return {
    judge: (place, request) => {
      const id = place === 'store' ? uploadIdOf(request.path) : undefined;
      if (id === undefined || !isSlow) return undefined;
      if (assemblies.has(id)) return GONE;
      if (!isComplete(request)) return undefined;
      const assembly = delay(fault.assemblyMs).then(() => void assemblies.delete(id));
      assemblies.set(id, assembly);
      return { kind: 'hold', until: assembly };
    },
    act: async (signal) => {
      await delay(fault.afterMs, undefined, { signal });
      world.history.note(`the store assembles for ${fault.assemblyMs} ms`);
      isSlow = true;
      await once(signal, 'abort');
      await Promise.all(assemblies.values());
    },
  };
}

export function apiServerStarts(world: ChaosWorld, fault: FaultOf<'api-server-starts'>): LiveFault {
  let isStarting = false;
  return {
    judge: (place, { path }) => {
      if (place !== 'api-server' || !isStarting) return undefined;
      if (fault.status === 403) return { kind: 'response', status: 403 };
      return path.startsWith('/apis/zipjobs.dev/')
        ? { kind: 'response', status: 404, body: '404 page not found\n' }
        : undefined;
    },
    act: async (signal) => {
      await delay(fault.afterMs, undefined, { signal });
      world.history.note(`a starting API server responds with ${fault.status} for ${fault.ms} ms`);
      isStarting = true;
      await delay(fault.ms, undefined, { signal }).finally(() => {
        isStarting = false;
      });
    },
  };
}

const API_SERVERS = 3;

export function apiServersDisagree(world: ChaosWorld, fault: FaultOf<'api-servers-disagree'>): LiveFault {
  let isOn = false;
  let requests = 0;
  return {
    judge: (place) => {
      if (place !== 'api-server' || !isOn) return undefined;
      requests += 1;
      return requests % API_SERVERS === 0 ? { kind: 'ahead', ms: fault.aheadMs } : undefined;
    },
    act: async (signal) => {
      await delay(fault.afterMs, undefined, { signal });
      world.history.note(`one of ${API_SERVERS} API servers is ahead by ${fault.aheadMs} ms`);
      isOn = true;
      await once(signal, 'abort');
      isOn = false;
    },
  };
}
