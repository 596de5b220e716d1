/** Runs the faults of a plan. */
import type { ChaosWorld } from './chaos-world.ts';
import type { LiveFault } from './live-fault.ts';
import { type PlannedFault, type TimedFault, WATCH_FAULTS, type WatchFault } from './planned-fault.ts';
import {
  apiErrors,
  atNthStoreWrite,
  atNthWrite,
  flap,
  placeErrors,
  slowApiServer,
} from './request-faults.ts';
import {
  deleteBucket,
  loseNode,
  nodeClock,
  onAPod,
  pauseLeader,
  restartApiServer,
  rotateSecret,
  storeAway,
} from './timed-faults.ts';
import { oldList, onWatches } from './watch-faults.ts';

/** Faults that affect processes and objects at a certain time, not requests. */
const startTimed = (world: ChaosWorld, fault: Exclude<TimedFault, WatchFault>): LiveFault => {
  switch (fault.kind) {
    case 'old-list':
      return oldList(world, fault.afterMs);
    case 'rotate-secret':
      return rotateSecret(world, fault.afterMs);
    case 'pause-leader':
      return pauseLeader(world, fault);
    case 'restart-api-server':
      return restartApiServer(world, fault);
    case 'lose-node':
      return loseNode(world, fault);
    case 'store-away':
      return storeAway(world, fault);
    case 'node-clock':
      return nodeClock(world, fault);
    case 'delete-bucket':
      return deleteBucket(world, fault.afterMs);
    case 'delete-pod':
    case 'kill-zipper':
    case 'delete-job':
      return onAPod(world, fault);
  }
};

const isOnWatches = (fault: TimedFault): fault is WatchFault =>
  WATCH_FAULTS.some((kind) => kind === fault.kind);

const startNth = (
  world: ChaosWorld,
  fault: Extract<PlannedFault, { readonly nthWrite: number }>,
): LiveFault => ('who' in fault ? atNthWrite(world, fault) : atNthStoreWrite(world, fault));

/** Its times count from now. */
export const startFault = (world: ChaosWorld, fault: PlannedFault): LiveFault => {
  if ('afterMs' in fault) return isOnWatches(fault) ? onWatches(world, fault) : startTimed(world, fault);
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
};
