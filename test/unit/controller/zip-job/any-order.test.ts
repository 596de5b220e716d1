/** Events in any order: the invariants of the state machine hold after every write. */
import { readFileSync } from 'node:fs';
import { expect } from 'chai';
import { findCondition } from '#crds/conditions.ts';
import type { ZipJob, ZipJobStatus } from '#crds/zip-job.ts';
import { aZipJob } from '#test/support/builders/objects.ts';
import { createRandom } from '#test/support/random.ts';
import { expectInvariants } from '#test/support/worlds/job-world/invariants.ts';
import { JobWorld } from '#test/support/worlds/job-world/job-world.ts';
import { drawMove, MOVES, refuseJobs } from '#test/support/worlds/job-world/moves.ts';
import { livePods, runToEnd, stepPods } from '#test/support/worlds/job-world/steps.ts';
import { reconcileJobs } from '#test/support/worlds/job-world/world-jobs.ts';

const SCHEDULES = 200;
const MOVES_PER_SCHEDULE = 60;
const HOUR_SECONDS = 3600;
/** Without the time at which the API accepted it. */
const OF_KUBECTL = aZipJob({ metadata: { annotations: {} } });

const PAGE = new URL('../../../../docs/architecture.md', import.meta.url);

/** The table of the page: each phase, and those that follow it. */
function tableOfPhases(): readonly string[] {
  const [, table = ''] = readFileSync(PAGE, 'utf8').split('| phase | may be followed by |\n');
  const lines = table.split('\n\n')[0]?.split('\n').slice(1) ?? [];
  return lines.flatMap((line) => {
    const [, from = '', to = ''] = line.split('|').map((cell) => cell.replaceAll('`', '').trim());
    return to.split(', ').map((phase) => `${from} -> ${phase}`);
  });
}

const edges = new Set<string>();

function noteEdge({ status: was }: ZipJob, { status: is }: ZipJob): void {
  if (was?.phase !== is?.phase) edges.add(`${was?.phase ?? '(new)'} -> ${is?.phase}`);
}

/** Beyond the first schedules, those that first show a rare edge. */
const RARE = [252, 264, 548];

/** Cancelled in the moment between two attempts in which it also loses its Job. */
async function cancelWithoutJob(): Promise<void> {
  function isBetween({ phase, job, conditions }: ZipJobStatus = {}): boolean {
    return (
      phase === 'Running' &&
      job?.podUid === undefined &&
      findCondition(conditions, 'Recovered')?.status === 'True'
    );
  }
  const world = new JobWorld(aZipJob(), (before, after) => {
    noteEdge(before, after);
    if (!isBetween(after.status)) return;
    world.deleteJobByHand();
    world.cancel();
  });
  for (let steps = 0; steps < 50 && world.zipJob?.status?.upload?.state !== 'open'; steps += 1) {
    await world.reconcile();
    reconcileJobs(world);
    stepPods(world);
  }
  livePods(world)[0]?.end({ exitCode: 1 });
  await runToEnd(world);
}

async function play(seed: number): Promise<void> {
  const random = createRandom(seed);
  const reported: string[] = [];
  const world = new JobWorld(random.next() < 0.5 ? aZipJob() : OF_KUBECTL, (before, after) => {
    expectInvariants(before, after, world);
    noteEdge(before, after);
  });
  function anySkew(): number {
    return random.int(-HOUR_SECONDS, HOUR_SECONDS);
  }
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
}

describe('observe, decide and act, in any order of events', () => {
  it(`keep every invariant in ${SCHEDULES} schedules, whatever the clocks of kubelets and the Job controller, and the state of the store (H4, H5, H6, F25, F26, F27)`, async function () {
    this.timeout(120_000);
    for (let seed = 1; seed <= SCHEDULES; seed += 1) await play(seed);
  });

  it('follow exactly the edges of the table in docs/architecture.md (F46)', async function () {
    this.timeout(120_000);
    edges.clear();
    for (let seed = 1; seed <= SCHEDULES; seed += 1) await play(seed);
    for (const seed of RARE) await play(seed);
    await cancelWithoutJob();
    expect([...edges].toSorted()).to.deep.equal(tableOfPhases().toSorted());
  });
});
