/** Faults of processes and objects at a certain time. */
import { setTimeout as delay } from 'node:timers/promises';
import type { ChaosWorld } from './chaos-world.ts';
import type { FaultOf, LiveFault } from './live-fault.ts';
import { BUCKET_DELETED } from './observations.ts';

export function pauseLeader(world: ChaosWorld, fault: FaultOf<'pause-leader'>): LiveFault {
  return {
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
  };
}

export function onAPod(
  world: ChaosWorld,
  fault: FaultOf<'delete-pod' | 'kill-zipper' | 'delete-job'>,
): LiveFault {
  return {
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
  };
}

export function deleteBucket(world: ChaosWorld, afterMs: number): LiveFault {
  return {
    act: async (signal) => {
      await delay(afterMs, undefined, { signal });
      world.history.note(BUCKET_DELETED);
      await world.ownBucket.delete();
    },
  };
}

export function rotateSecret(world: ChaosWorld, afterMs: number): LiveFault {
  return {
    act: async (signal) => {
      await delay(afterMs, undefined, { signal });
      world.history.note('the webhook secret is rotated');
      await world.webhookKeys.rotate();
    },
  };
}
