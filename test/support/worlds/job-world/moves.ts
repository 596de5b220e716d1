/** What can happen to a job in the job world, with weights. */
import { EXIT_CODES } from '#crds/exit-codes.ts';
import { KubeError } from '#runtime/kube/client/kube-error.ts';
import { NAME, NAMESPACE } from '#test/support/builders/objects.ts';
import { disrupted, type Ending, failureMessage } from '#test/support/builders/pod-statuses.ts';
import type { Random } from '#test/support/random.ts';
import type { JobWorld } from './job-world.ts';
import { livePods, stepPods, stopPods } from './steps.ts';
import { type Moves, STORE_MOVES } from './store-moves.ts';
import { reconcileJobs } from './world-jobs.ts';
import type { WorldPod } from './world-zipper.ts';

function anyPod(world: JobWorld, random: Random, act: (pod: WorldPod) => void): void {
  const pods = livePods(world);
  if (pods.length > 0) act(random.pick(pods));
}

export function refuseJobs(world: JobWorld): void {
  world.jobs.fail(new KubeError('quota', { attempt: 'POST', code: 'QuotaExceeded' }), (call) =>
    call.startsWith('create'),
  );
}

const ENDINGS: readonly Ending[] = [
  { exitCode: EXIT_CODES.sourceUnavailable, message: failureMessage('SourceTruncated', { retriable: true }) },
  { exitCode: EXIT_CODES.sourceFailed, message: failureMessage('SourceNotFound') },
  { exitCode: 137, reason: 'OOMKilled' },
  { exitCode: 1 },
];

export const MOVES: Moves = {
  'the controller looks': [10, (world) => world.reconcile()],
  'the Job controller looks': [
    6,
    (world) => {
      reconcileJobs(world);
    },
  ],
  'pods go on': [
    10,
    (world) => {
      world.bindPods();
      stepPods(world);
    },
  ],
  'the store answers': [
    4,
    (world) => {
      world.store.arrive();
    },
  ],
  'pods stop': [
    4,
    (world, random) => {
      stopPods(world, () => random.next() < 0.5);
    },
  ],
  'garbage is collected': [
    2,
    (world) => {
      world.collectGarbage();
    },
  ],
  'seconds pass': [
    4,
    (world, random) => {
      world.advance(random.int(1, 30));
    },
  ],
  'minutes pass': [
    1,
    (world, random) => {
      world.advance(random.int(60, 900));
    },
  ],
  'a pod fails': [
    2,
    (world, random) => {
      anyPod(world, random, (pod) => {
        pod.end(random.pick(ENDINGS));
      });
    },
  ],
  'a pod is evicted': [
    1,
    (world, random) => {
      anyPod(world, random, ({ pod }) => {
        const live = world.pod(pod.metadata.name);
        if (live) world.putPod({ ...live, status: { ...live.status, ...disrupted(143) } });
      });
    },
  ],
  'a node is lost': [
    0.4,
    (world, random) => {
      anyPod(world, random, (process) => {
        world.loseNode(process, { noticed: random.next() < 0.7, dead: random.next() < 0.5 });
      });
    },
  ],
  'a pod hangs': [
    0.4,
    (world, random) => {
      anyPod(world, random, (process) => {
        process.hangs = true;
      });
    },
  ],
  'somebody deletes a pod': [
    0.4,
    (world, random) => {
      anyPod(world, random, ({ pod }) => {
        world.deletePod(pod);
      });
    },
  ],
  'somebody deletes the Job': [
    0.2,
    (world) => {
      world.deleteJobByHand();
    },
  ],
  'somebody else has a Job of this name': [
    0.1,
    (world) => {
      if (world.jobs.all().every(({ metadata }) => metadata.name !== NAME))
        world.jobs.put({ metadata: { namespace: NAMESPACE, name: NAME } });
    },
  ],
  'somebody cancels': [
    0.4,
    (world) => {
      world.cancel();
    },
  ],
  'somebody deletes the ZipJob': [
    0.3,
    (world) => {
      world.deleteZipJob();
    },
  ],
  'somebody suspends or resumes': [
    0.5,
    (world, random) => {
      world.suspend(random.next() < 0.3);
    },
  ],
  'the bucket is deleted': [
    0.1,
    (world) => {
      world.buckets.remove(NAMESPACE, 's3-archive');
    },
  ],
  'the caches lag': [
    1,
    (world, random) => {
      world.lag(() => random.next() < 0.7);
    },
  ],
  'the caches catch up': [
    3,
    (world) => {
      world.lag(() => false);
    },
  ],
  'another replica hears no more': [
    1,
    (world) => {
      world.remember();
    },
  ],
  'that replica leads': [
    0.5,
    (world) => {
      world.takeOver();
    },
  ],
  'the controller is about to be killed': [
    1,
    (world, random) => {
      world.killIn = random.int(1, 4);
      world.killsBefore = random.next() < 0.5;
    },
  ],
  ...STORE_MOVES,
  'the API server refuses the writes of pods': [
    0.5,
    (world) => {
      world.refusesPods = true;
    },
  ],
  'the API server accepts the writes of pods': [
    2,
    (world) => {
      world.refusesPods = false;
    },
  ],
  'the credentials may not read objects': [
    0.1,
    (world) => {
      world.store.isReadDenied = true;
    },
  ],
  'the nodes are full': [
    0.5,
    (world) => {
      world.isFull = true;
    },
  ],
  'there is a node': [
    1,
    (world) => {
      world.isFull = false;
    },
  ],
  'the quota is used up': [
    0.5,
    (world) => {
      refuseJobs(world);
    },
  ],
  'there is quota': [
    1,
    (world) => {
      world.jobs.fail(undefined);
    },
  ],
};

const TOTAL = Object.values(MOVES).reduce((sum, [weight]) => sum + weight, 0);

/** The name of a random move. */
export function drawMove(random: Random): string {
  let left = random.next() * TOTAL;
  for (const [name, [weight]] of Object.entries(MOVES)) {
    left -= weight;
    if (left < 0) return name;
  }
  return 'the controller looks';
}
