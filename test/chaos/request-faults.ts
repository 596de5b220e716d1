/** Faults of requests: the n-th write of a process, or a share of all requests. */

import { createRandom } from '#test/support/random.ts';
import type { FaultAction } from '#tools/local-cluster/fault-proxy.ts';
import { isWrite, type ProxiedRequest } from '#tools/local-cluster/proxied-request.ts';
import type { ChaosWorld } from './chaos-world.ts';
import { type FaultOf, isOf, type LiveFault } from './live-fault.ts';
import type { Place } from './observations.ts';
import { noteKubernetes } from './request-notes.ts';

/** Longer than the timeout of any of our processes; see the settings of the world. */
const LATE_MS = 6_000;

/** Writes about the jobs of this world, except Events and Leases. */
function isJobWrite(request: ProxiedRequest, namespace: string): boolean {
  return (
    isWrite(request) && request.path.includes(`/namespaces/${namespace}/`) && !/\/events\b/.test(request.path)
  );
}

function nth(n: number): () => boolean {
  let left = n;
  return () => {
    left -= 1;
    return left === 0;
  };
}

export function atNthWrite(world: ChaosWorld, fault: FaultOf<'kill' | 'drop' | 'late'>): LiveFault {
  const isNow = nth(fault.nthWrite);
  return {
    judge: (place, request) => {
      if (place !== 'api-server' || !isOf(request, fault.who)) return undefined;
      if (!isJobWrite(request, world.project.namespace) || !isNow()) return undefined;
      if (fault.kind === 'drop') return { kind: 'drop' };
      if (fault.kind === 'late') return { kind: 'delay', ms: LATE_MS };
      return { kind: 'kill', kill: () => world.kill(request.actor?.podUid ?? '') };
    },
  };
}

export function atNthStoreWrite(world: ChaosWorld, fault: FaultOf<'store-drop' | 'store-kill'>): LiveFault {
  const isNow = nth(fault.nthWrite);
  function kill(): void {
    for (const pod of world.zipperPods()) world.kill(pod.uid);
  }
  return {
    judge: (place, request) => {
      if (place !== 'store' || !isWrite(request) || !isNow()) return undefined;
      return fault.kind === 'store-drop' ? { kind: 'drop' } : { kind: 'kill', kill };
    },
  };
}

export function hang(world: ChaosWorld, { nthWrite }: FaultOf<'hang'>): LiveFault {
  const isNow = nth(nthWrite);
  return {
    judge: (place, request) => {
      if (place !== 'api-server' || !isOf(request, 'zipper')) return undefined;
      if (noteKubernetes(request)['result'] === undefined || !isNow()) return undefined;
      return { kind: 'kill', kill: () => world.kill(request.actor?.podUid ?? '', 'SIGSTOP') };
    },
  };
}

/** Some faults make no sense for some requests; no server causes them. */
function isPossible(status: number, request: ProxiedRequest): boolean {
  if (status === 409) return isWrite(request) && request.method !== 'POST';
  return status !== 410 || request.method === 'GET';
}

/** True at the rate until the time is over; the same calls give the same results. */
function sometimes({ rate, seed, ms }: FaultOf<'flap'>): () => boolean {
  const random = createRandom(seed);
  const until = performance.now() + ms;
  return () => performance.now() <= until && random.next() <= rate;
}

export function apiErrors(fault: FaultOf<'errors'>): LiveFault {
  const isNow = sometimes({ ...fault, kind: 'flap' });
  return {
    judge: (place, request) => {
      if (place !== 'api-server' || !isOf(request, fault.who)) return undefined;
      if (!isPossible(fault.status, request) || !isNow()) return undefined;
      const wait = fault.status === 429 ? { retryAfterSeconds: 1 } : {};
      return { kind: 'response', status: fault.status, ...wait };
    },
  };
}

function storeResponse(status: number): FaultAction {
  const code = status === 503 ? 'SlowDown' : 'InternalError';
  const body = `<Error><Code>${code}</Code><Message>from the fault proxy</Message></Error>`;
  return { kind: 'response', status, body };
}

const PLACES: Readonly<Record<FaultOf<'store-errors' | 'receiver-errors' | 'source-errors'>['kind'], Place>> =
  {
    'store-errors': 'store',
    'receiver-errors': 'receiver',
    'source-errors': 'source',
  };

export function placeErrors(fault: FaultOf<'store-errors' | 'receiver-errors' | 'source-errors'>): LiveFault {
  const isNow = sometimes({ ...fault, kind: 'flap' });
  return {
    judge: (place) => (place === PLACES[fault.kind] && isNow() ? storeResponse(fault.status) : undefined),
  };
}

/** Errors from every place, at the same rate. */
export function flap(fault: FaultOf<'flap'>): LiveFault {
  const isNow = sometimes(fault);
  return {
    judge: (place) => {
      if (!isNow()) return undefined;
      return place === 'api-server' ? { kind: 'response', status: 500 } : storeResponse(503);
    },
  };
}

export function slowApiServer(fault: FaultOf<'slow-api-server'>): LiveFault {
  return {
    judge: (place, request) =>
      place === 'api-server' && isOf(request, fault.who) ? { kind: 'delay', ms: fault.ms } : undefined,
  };
}
