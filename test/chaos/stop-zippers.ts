/** Ends zippers in the middle of their uploads, as spot nodes, drains and the OOM killer do. */
import { setTimeout as delay } from 'node:timers/promises';
import { createRandom } from '#test/support/random.ts';
import type { RunningPod } from '#tools/local-cluster/node-agent/node-agent.ts';
import type { ChaosWorld } from './chaos-world.ts';
import type { FaultOf, LiveFault } from './live-fault.ts';

const LOOK_MS = 250;
/** How long a pod runs, counted from its first part: sources take ten seconds. */
const RUN_MS = [1_000, 7_000] as const;
/**
 * Kubernetes doubles its wait before the next pod of a Job, here from one second on. After eight stops it is two minutes, in which
 * nothing changes, so that the schedule would be given up.
 */
const MOST_STOPS_OF_JOB = 5;
/**
 * A killed pod that has confirmed nothing yet counts against `maxAttempts`, by default 4, and another fault may kill one more. A
 * deleted pod never counts.
 */
const MOST_KILLS_OF_JOB = 2;
/** Some end at any time, also before they have uploaded anything. */
const EARLY_RATE = 0.2;

/** The note of an accepted job with a kind, its ID and its key. */
const RESUMING = /^accepted resuming (\S+) (\S+)/;

interface ResumingJob {
  readonly id: string;
  readonly key: string;
}

function resumingJobs({ seen }: ChaosWorld['history']): readonly ResumingJob[] {
  return seen.flatMap((one) => {
    const [, id, key] = (one.kind === 'note' && RESUMING.exec(one.text)) || [];
    return id === undefined || key === undefined ? [] : [{ id, key }];
  });
}

/** Whether a part of the archive was stored since this time. */
function hasPartSince({ seen }: ChaosWorld['history'], key: string, since: number): boolean {
  return seen.some(
    (one) =>
      one.kind === 'exchange' &&
      one.place === 'store' &&
      one.at > since &&
      one.request.method === 'PUT' &&
      one.request.path.includes(`${key}?partNumber=`),
  );
}

interface Life {
  readonly since: number;
  readonly isEarly: boolean;
  readonly runMs: number;
  /** When it ends; undefined until it is known. */
  dueAt: number | undefined;
}

export function stopZippers(world: ChaosWorld, fault: FaultOf<'stop-zippers'>): LiveFault {
  const random = createRandom(fault.seed);
  const lives = new Map<string, Life>();
  const stops = new Map<string, number>();
  const kills = new Map<string, number>();
  let left = fault.times;

  function lifeOf({ uid }: RunningPod): Life {
    const life = lives.get(uid) ?? {
      since: performance.now(),
      isEarly: random.next() < EARLY_RATE,
      runMs: random.int(...RUN_MS),
      dueAt: undefined,
    };
    lives.set(uid, life);
    return life;
  }
  function isDue(pod: RunningPod, { key }: ResumingJob): boolean {
    const life = lifeOf(pod);
    const now = performance.now();
    if (life.dueAt === undefined && (life.isEarly || hasPartSince(world.history, key, life.since)))
      life.dueAt = now + life.runMs;
    return life.dueAt !== undefined && life.dueAt <= now;
  }
  async function stop(pod: RunningPod, { id }: ResumingJob): Promise<void> {
    lifeOf(pod).dueAt = Infinity;
    stops.set(id, (stops.get(id) ?? 0) + 1);
    left -= 1;
    const killed = kills.get(id) ?? 0;
    if (random.next() < 0.5 && killed < MOST_KILLS_OF_JOB) {
      kills.set(id, killed + 1);
      world.kill(pod.uid);
    } else await world.remove('api/v1', 'pods', pod.name);
  }
  async function look(): Promise<void> {
    const jobs = resumingJobs(world.history).filter(({ id }) => (stops.get(id) ?? 0) < MOST_STOPS_OF_JOB);
    for (const pod of world.zipperPods()) {
      const job = jobs.find(({ id }) => pod.name.includes(id));
      if (job !== undefined && isDue(pod, job)) return stop(pod, job);
    }
  }
  return {
    act: async (signal) => {
      await delay(fault.afterMs, undefined, { signal });
      while (left > 0) {
        await look();
        await delay(LOOK_MS, undefined, { signal });
      }
    },
  };
}
