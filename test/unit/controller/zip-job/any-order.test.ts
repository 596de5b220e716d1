/** Events in any order: the invariants of the state machine hold after every write. */

import { aZipJob } from '#test/support/builders/objects.ts';
import { createRandom } from '#test/support/random.ts';
import { expectInvariants } from '#test/support/worlds/job-world/invariants.ts';
import { JobWorld } from '#test/support/worlds/job-world/job-world.ts';
import { drawMove, MOVES, refuseJobs } from '#test/support/worlds/job-world/moves.ts';
import { runToEnd } from '#test/support/worlds/job-world/steps.ts';

const SCHEDULES = 200;
const MOVES_PER_SCHEDULE = 60;
const HOUR_SECONDS = 3600;
/** Without the time at which the API accepted it. */
const OF_KUBECTL = aZipJob({ metadata: { annotations: {} } });

const play = async (seed: number): Promise<void> => {
  const random = createRandom(seed);
  const reported: string[] = [];
  const world = new JobWorld(random.next() < 0.5 ? aZipJob() : OF_KUBECTL, (before, after) => {
    expectInvariants(before, after, world);
  });
  const anySkew = (): number => random.int(-HOUR_SECONDS, HOUR_SECONDS);
  world.kubeletSkew = anySkew;
  world.jobControllerSkew = anySkew();
  try {
    if (random.next() < 0.3) refuseJobs(world);
    for (let moves = 0; moves < MOVES_PER_SCHEDULE; moves += 1) {
      const name = drawMove(random);
      reported.push(name);
      await MOVES[name]?.[1](world, random);
    }
    reported.push('calm');
    world.suspend(false);
    await runToEnd(world);
  } catch (error) {
    throw new Error(`seed ${seed}: ${reported.join('; ')}`, { cause: error });
  }
};

describe('observe, decide and act, in any order of events', () => {
  it(`keep every invariant in ${SCHEDULES} schedules, whatever the clocks of kubelets and the Job controller, and the state of the store (H4, H5, H6, F25, F26, F27)`, async function () {
    this.timeout(120_000);
    for (let seed = 1; seed <= SCHEDULES; seed += 1) await play(seed);
  });
});
