/** Uploads that outlive their pods, with events in any order. */
import { expect } from 'chai';
import { type InheritedUpload, isFinished, type ZipJobStatus } from '#crds/zip-job.ts';
import { aZipJob } from '#test/support/builders/objects.ts';
import { createRandom } from '#test/support/random.ts';
import { expectInheritance } from '#test/support/worlds/job-world/inheritance-invariants.ts';
import { expectInvariants } from '#test/support/worlds/job-world/invariants.ts';
import { JobWorld } from '#test/support/worlds/job-world/job-world.ts';
import { drawMove, MOVES } from '#test/support/worlds/job-world/moves.ts';
import { livePods, runToEnd, stepPods } from '#test/support/worlds/job-world/steps.ts';
import { reconcileJobs } from '#test/support/worlds/job-world/world-jobs.ts';

const SCHEDULES = 300;
const MOVES_PER_SCHEDULE = 60;
/** In these, what is left in the store says nothing about us. */
const WITHOUT: readonly string[] = [
  'the store refuses or ignores aborts',
  'the store forgets its uploads',
  'the store assembles archives slowly',
  'the bucket is deleted',
];

type Fate = 'inherited' | 'resumed' | 'refused' | 'recovered' | 'published';

/** What became of an upload that no pod is to continue any more. */
function endOf({ uploadId }: InheritedUpload, { upload, phase }: ZipJobStatus): Fate {
  if (upload && upload.uploadId !== uploadId) return 'refused';
  return phase === 'Succeeded' ? 'published' : 'recovered';
}

function isRevoked(was: ZipJobStatus, is: ZipJobStatus): boolean {
  return was.job?.podUid !== undefined && is.job?.podUid === undefined;
}

/** What became of the upload of a pod in this write. */
function fatesOf(was: ZipJobStatus, is: ZipJobStatus): readonly Fate[] {
  if (!is.inherits) return was.inherits ? [endOf(was.inherits, is)] : [];
  const isResumed = is.inherits.resumes > (was.inherits?.resumes ?? 0);
  return [
    ...(isResumed ? (['resumed'] as const) : []),
    ...(isRevoked(was, is) ? (['inherited'] as const) : []),
  ];
}

async function untilCheckpointed(world: JobWorld): Promise<void> {
  for (let steps = 0; steps < 50 && world.zipJob?.status?.upload?.checkpoint === undefined; steps += 1) {
    await world.reconcile();
    reconcileJobs(world);
    stepPods(world);
  }
  expect(world.zipJob?.status).to.have.nested.property('upload.checkpoint', 1);
}

async function play(seed: number, onFate: (fate: Fate) => void): Promise<void> {
  const random = createRandom(seed);
  const recorded = new Set<string>();
  const reported: string[] = [];
  const world: JobWorld = new JobWorld(aZipJob(), (before, after) => {
    expectInvariants(before, after, world);
    expectInheritance(before, after, world);
    for (const { upload } of [after.status ?? {}, ...(after.status?.attempts ?? [])])
      if (upload) recorded.add(upload.uploadId);
    for (const fate of fatesOf(before.status ?? {}, after.status ?? {})) onFate(fate);
  });
  try {
    await untilCheckpointed(world);
    if (random.next() < 0.3) world.store.forget();
    // Each way in which a pod may end, before anything else happens.
    if (random.next() < 0.7)
      livePods(world)[0]?.end(random.pick([{ exitCode: 137 }, { exitCode: 137, reason: 'OOMKilled' }]));
    for (let moves = 0; moves < MOVES_PER_SCHEDULE; moves += 1) {
      const name = drawMove(random);
      if (WITHOUT.includes(name)) continue;
      reported.push(name);
      await MOVES[name]?.[1](world, random);
    }
    reported.push('calm');
    world.suspend(false);
    await runToEnd(world);
    expectNoUploads(world, recorded);
  } catch (error) {
    throw new Error(`seed ${seed}: ${reported.join('; ')}`, { cause: error });
  }
}

/** Every recorded upload is gone when the job has ended, unless the job says that it gave up. */
function expectNoUploads({ zipJob, store }: JobWorld, recorded: ReadonlySet<string>): void {
  const attempts = zipJob?.status?.attempts ?? [];
  if (!zipJob || !isFinished(zipJob) || attempts.some(({ abortFailures = 0 }) => abortFailures > 0)) return;
  const left = [...store.uploads.keys()].filter((id) => recorded.has(id));
  expect(left, 'no recorded upload is left').to.deep.equal([]);
}

describe('an upload that outlives its pod, in any order of events', () => {
  it(`is continued, or recovered before the job ends, in ${SCHEDULES} schedules (H8)`, async function () {
    this.timeout(120_000);
    const fates = new Map<Fate, number>();
    for (let seed = 1; seed <= SCHEDULES; seed += 1)
      await play(seed, (fate) => fates.set(fate, (fates.get(fate) ?? 0) + 1));
    for (const fate of ['inherited', 'resumed', 'refused', 'recovered', 'published'] as const)
      expect(fates.get(fate) ?? 0, fate).to.be.at.least(5);
  });
});
