/** Carries out the faults of a plan. */
import { setTimeout as delay } from 'node:timers/promises';
import { ZIPPER_SERVICE_ACCOUNT } from '#crds/api-group.ts';
import type { FaultAction } from '../cluster/fault-proxy.ts';
import { isWatch, isWrite, type ProxiedRequest } from '../cluster/proxied-request.ts';
import type { ChaosWorld } from './chaos-world.ts';
import type { Place } from './history.ts';
import type { PlannedFault, ProcessName, TimedFault } from './plan.ts';
import { createRandom } from './random.ts';

const SERVICE_ACCOUNTS: Readonly<Record<ProcessName, string>> = {
  api: 'zipjobs-api',
  controller: 'zipjobs-controller',
  zipper: ZIPPER_SERVICE_ACCOUNT,
};

export interface LiveFault {
  readonly judge?: (place: Place, request: ProxiedRequest) => FaultAction | undefined;
  /** Resolves when what it does at a certain time is done; rejects when the signal ends the wait. */
  readonly act?: (signal: AbortSignal) => Promise<void>;
}

type FaultOf<K extends PlannedFault['kind']> = Extract<PlannedFault, { kind: K }>;

const isOf = (request: ProxiedRequest, who: ProcessName): boolean =>
  request.actor?.serviceAccount === SERVICE_ACCOUNTS[who];

/** Writes about the jobs of this world; Events and Leases are not among them. */
const isJobWrite = (request: ProxiedRequest, namespace: string): boolean =>
  isWrite(request) && request.path.includes(`/namespaces/${namespace}/`) && !/\/events\b/.test(request.path);

const nth = (n: number): (() => boolean) => {
  let left = n;
  return () => {
    left -= 1;
    return left === 0;
  };
};

const atNthWrite = (world: ChaosWorld, fault: FaultOf<'kill' | 'drop'>): LiveFault => {
  const isNow = nth(fault.nthWrite);
  return {
    judge: (place, request) => {
      if (place !== 'api-server' || !isOf(request, fault.who)) return undefined;
      if (!isJobWrite(request, world.project.namespace) || !isNow()) return undefined;
      if (fault.kind === 'drop') return { kind: 'drop' };
      return { kind: 'kill', kill: () => world.kill(request.actor?.podUid ?? '') };
    },
  };
};

const atNthStoreWrite = (world: ChaosWorld, fault: FaultOf<'store-drop' | 'store-kill'>): LiveFault => {
  const isNow = nth(fault.nthWrite);
  const kill = (): void => {
    for (const pod of world.zipperPods()) world.kill(pod.uid);
  };
  return {
    judge: (place, request) => {
      if (place !== 'store' || !isWrite(request) || !isNow()) return undefined;
      return fault.kind === 'store-drop' ? { kind: 'drop' } : { kind: 'kill', kill };
    },
  };
};

/** Some answers make no sense for some requests, and no server gives them. */
const isPossible = (status: number, request: ProxiedRequest): boolean => {
  if (status === 409) return isWrite(request) && request.method !== 'POST';
  return status !== 410 || request.method === 'GET';
};

const apiErrors = (fault: FaultOf<'errors'>): LiveFault => {
  const random = createRandom(fault.seed);
  const until = performance.now() + fault.ms;
  return {
    judge: (place, request) => {
      if (place !== 'api-server' || !isOf(request, fault.who) || performance.now() > until) return undefined;
      if (!isPossible(fault.status, request) || random.next() > fault.rate) return undefined;
      const wait = fault.status === 429 ? { retryAfterSeconds: 1 } : {};
      return { kind: 'answer', status: fault.status, ...wait };
    },
  };
};

const placeErrors = (place: Place, fault: FaultOf<'store-errors' | 'receiver-errors'>): LiveFault => {
  const random = createRandom(fault.seed);
  const until = performance.now() + fault.ms;
  const code = fault.status === 503 ? 'SlowDown' : 'InternalError';
  const body = `<Error><Code>${code}</Code><Message>from the fault proxy</Message></Error>`;
  return {
    judge: (at) => {
      if (at !== place || performance.now() > until || random.next() > fault.rate) return undefined;
      return { kind: 'answer', status: fault.status, body };
    },
  };
};

const onWatches = (
  world: ChaosWorld,
  fault: FaultOf<'stall-watches' | 'hold-watches' | 'cut-watches'>,
): LiveFault => ({
  act: async (signal) => {
    await delay(fault.afterMs, undefined, { signal });
    const streams = world.watches().filter(({ request }) => isOf(request, 'controller'));
    await Promise.all(
      streams.map(async (stream) => {
        if (fault.kind === 'cut-watches') stream.cut();
        else if (fault.kind === 'hold-watches') await stream.hold(fault.ms);
        else await stream.stall(fault.ms);
      }),
    );
  },
});

/** Restarts the leader and shows its successors lists as they once were. */
const oldList = (world: ChaosWorld, afterMs: number): LiveFault => {
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
      await delay(3_000, undefined, { signal });
      isOn = false;
    },
  };
};

const pauseLeader = (world: ChaosWorld, fault: FaultOf<'pause-leader'>): LiveFault => ({
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

const onAPod = (
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
    // The pod of a Job is named after it, with a suffix.
    else await world.remove('apis/batch/v1', 'jobs', pod.name.replace(/-[^-]+$/, ''));
  },
});

const slowApiServer = (fault: FaultOf<'slow-api-server'>): LiveFault => ({
  judge: (place, request) =>
    place === 'api-server' && isOf(request, fault.who) ? { kind: 'delay', ms: fault.ms } : undefined,
});

/** What happens at a certain time, not to a certain request. */
const startTimed = (world: ChaosWorld, fault: TimedFault): LiveFault => {
  switch (fault.kind) {
    case 'stall-watches':
    case 'hold-watches':
    case 'cut-watches':
      return onWatches(world, fault);
    case 'old-list':
      return oldList(world, fault.afterMs);
    case 'pause-leader':
      return pauseLeader(world, fault);
    case 'delete-pod':
    case 'kill-zipper':
    case 'delete-job':
      return onAPod(world, fault);
  }
};

/** Its times count from now. */
export const startFault = (world: ChaosWorld, fault: PlannedFault): LiveFault => {
  if ('afterMs' in fault) return startTimed(world, fault);
  switch (fault.kind) {
    case 'kill':
    case 'drop':
      return atNthWrite(world, fault);
    case 'errors':
      return apiErrors(fault);
    case 'slow-api-server':
      return slowApiServer(fault);
    case 'store-drop':
    case 'store-kill':
      return atNthStoreWrite(world, fault);
    case 'store-errors':
      return placeErrors('store', fault);
    case 'receiver-errors':
      return placeErrors('receiver', fault);
  }
};
