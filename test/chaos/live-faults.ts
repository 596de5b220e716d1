/** Runs the faults of a plan. */
import type { ChaosWorld } from './chaos-world.ts';
import { onCluster } from './cluster-faults.ts';
import type { LiveFault } from './live-fault.ts';
import {
  CLUSTER_FAULTS,
  type ClusterFault,
  type PlannedFault,
  type TimedFault,
  WATCH_FAULTS,
  type WatchFault,
} from './planned-fault.ts';
import {
  apiErrors,
  atNthStoreWrite,
  atNthWrite,
  flap,
  hang,
  placeErrors,
  slowApiServer,
} from './request-faults.ts';
import { stopZippers } from './stop-zippers.ts';
import { deleteBucket, onAPod, pauseLeader, rotateSecret } from './timed-faults.ts';
import { oldList, onWatches } from './watch-faults.ts';

/** Faults of processes and objects. */
function startTimed(world: ChaosWorld, fault: Exclude<TimedFault, ClusterFault | WatchFault>): LiveFault {
  switch (fault.kind) {
    case 'old-list':
      return oldList(world, fault.afterMs);
    case 'rotate-secret':
      return rotateSecret(world, fault.afterMs);
    case 'pause-leader':
      return pauseLeader(world, fault);
    case 'stop-zippers':
      return stopZippers(world, fault);
    case 'delete-bucket':
      return deleteBucket(world, fault.afterMs);
    case 'delete-pod':
    case 'kill-zipper':
    case 'delete-job':
      return onAPod(world, fault);
  }
}

function isOnWatches(fault: TimedFault): fault is WatchFault {
  return WATCH_FAULTS.some((kind) => kind === fault.kind);
}

function isOnCluster(fault: TimedFault): fault is ClusterFault {
  return CLUSTER_FAULTS.some((kind) => kind === fault.kind);
}

function startAtTime(world: ChaosWorld, fault: TimedFault): LiveFault {
  if (isOnWatches(fault)) return onWatches(world, fault);
  return isOnCluster(fault) ? onCluster(world, fault) : startTimed(world, fault);
}

function startNth(world: ChaosWorld, fault: Extract<PlannedFault, { readonly nthWrite: number }>): LiveFault {
  if ('who' in fault) return atNthWrite(world, fault);
  return fault.kind === 'hang' ? hang(world, fault) : atNthStoreWrite(world, fault);
}

/** Its times count from now. */
export function startFault(world: ChaosWorld, fault: PlannedFault): LiveFault {
  if ('afterMs' in fault) return startAtTime(world, fault);
  if ('nthWrite' in fault) return startNth(world, fault);
  switch (fault.kind) {
    case 'errors':
      return apiErrors(fault);
    case 'slow-api-server':
      return slowApiServer(fault);
    case 'flap':
      return flap(fault);
    case 'store-errors':
    case 'receiver-errors':
    case 'source-errors':
      return placeErrors(fault);
  }
}
