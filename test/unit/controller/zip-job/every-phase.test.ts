/** Interrupts a job in every phase and follows it to its end. */
import { expect } from 'chai';
import { findCondition } from '#crds/conditions.ts';
import { EXIT_CODES } from '#crds/exit-codes.ts';
import { isFinished } from '#crds/zip-job.ts';
import { KubeError } from '#runtime/kube/client/kube-error.ts';
import { aZipJob, NAMESPACE } from '#test/support/builders/objects.ts';
import { failureMessage } from '#test/support/builders/pod-statuses.ts';
import { expectInvariants } from '#test/support/worlds/job-world/invariants.ts';
import { JobWorld } from '#test/support/worlds/job-world/job-world.ts';
import { livePods, round, runToEnd, stepPods } from '#test/support/worlds/job-world/steps.ts';
import { reconcileJobs } from '#test/support/worlds/job-world/world-jobs.ts';

const CREATE_REFUSED = new KubeError('quota', { attempt: 'POST', code: 'QuotaExceeded' });

function refuseJobs(world: JobWorld): void {
  world.jobs.fail(CREATE_REFUSED, (call) => call.startsWith('create'));
}

/** Runs one step of everything at a time until the condition is true. */
async function until(world: JobWorld, isReached: () => boolean): Promise<void> {
  for (let steps = 0; steps < 50 && !isReached(); steps += 1) {
    await world.reconcile();
    if (isReached()) return;
    reconcileJobs(world);
    stepPods(world);
  }
  expect(isReached()).to.equal(true);
}

function statusOf({ zipJob }: JobWorld) {
  return zipJob?.status ?? {};
}

/** Brings a job to the phase. */
const PHASES: Readonly<Record<string, (world: JobWorld) => Promise<void>>> = {
  new: () => Promise.resolve(),
  Queued: async (world) => {
    refuseJobs(world);
    await until(world, () => statusOf(world).reason === 'QuotaExceeded');
  },
  'Starting without a pod': (world) => until(world, () => statusOf(world).phase === 'Starting'),
  'Starting with an active pod': (world) =>
    until(world, () => statusOf(world).phase === 'Starting' && statusOf(world).job?.podUid !== undefined),
  Running: (world) => until(world, () => statusOf(world).upload?.state === 'open'),
  'Running with an archive that only the store knows': async (world) => {
    await until(world, () => world.store.armed.length > 0);
    world.store.arrive();
  },
  'Running between two attempts': async (world) => {
    await PHASES['Running']?.(world);
    livePods(world)[0]?.end({ exitCode: 1 });
    await until(world, () => findCondition(statusOf(world).conditions, 'Recovered')?.reason === 'Recovering');
  },
  'Finalizing before recovery': async (world) => {
    await PHASES['Running']?.(world);
    refuseJobs(world);
    world.deleteJobByHand();
    await until(world, () => statusOf(world).phase === 'Finalizing');
  },
  Succeeded: async (world) => {
    await runToEnd(world);
    expect(statusOf(world).phase).to.equal('Succeeded');
  },
  Failed: async (world) => {
    await PHASES['Running']?.(world);
    livePods(world)[0]?.end({ exitCode: EXIT_CODES.sourceFailed, message: failureMessage('SourceNotFound') });
    await runToEnd(world);
    expect(statusOf(world).phase).to.equal('Failed');
  },
};

const INTERRUPTIONS: Readonly<Record<string, (world: JobWorld) => void>> = {
  cancelled: (world) => {
    world.cancel();
  },
  suspended: (world) => {
    world.suspend(true);
  },
  deleted: (world) => {
    world.deleteZipJob();
  },
  'left without its bucket': (world) => {
    world.buckets.remove(NAMESPACE, 's3-archive');
  },
  'deleted with its namespace': (world) => {
    world.isNamespaceTerminating = true;
    world.jobs.fail(new KubeError('terminating', { attempt: 'POST', code: 'NamespaceTerminating' }), (call) =>
      call.startsWith('create'),
    );
    world.deleteZipJob();
  },
};

/** In the order of INTERRUPTIONS. */
const ENDS: Readonly<Record<keyof typeof PHASES, readonly string[]>> = {
  new: ['Cancelled', 'Suspended', 'gone', 'BucketNotFound', 'gone'],
  Queued: ['Cancelled', 'Suspended', 'gone', 'BucketDeleted', 'gone'],
  'Starting without a pod': ['Cancelled', 'Uploaded', 'gone', 'BucketDeleted', 'gone'],
  'Starting with an active pod': ['Cancelled', 'Uploaded', 'gone', 'BucketDeleted', 'gone'],
  Running: ['Cancelled', 'Uploaded', 'gone', 'BucketDeleted', 'gone'],
  'Running with an archive that only the store knows': [
    'VerifiedInStore',
    'Uploaded',
    'gone',
    'OutcomeUnknown',
    'gone',
  ],
  'Running between two attempts': ['Cancelled', 'Uploaded', 'gone', 'BucketDeleted', 'gone'],
  'Finalizing before recovery': ['JobDeleted', 'JobDeleted', 'gone', 'JobDeleted', 'gone'],
  Succeeded: ['Uploaded', 'Uploaded', 'gone', 'Uploaded', 'gone'],
  Failed: ['SourceNotFound', 'SourceNotFound', 'gone', 'SourceNotFound', 'gone'],
};

/** Runs until the job has finished or is gone, or a few rounds for a job that is held. */
async function follow(world: JobWorld, isHeld: boolean): Promise<void> {
  if (!isHeld) return runToEnd(world);
  for (let rounds = 0; rounds < 5; rounds += 1) await round(world);
}

function endOf({ zipJob }: JobWorld): string {
  return !zipJob || zipJob.metadata.deletionTimestamp !== undefined ? 'gone' : (zipJob.status?.reason ?? '');
}

describe('an interrupted job', () => {
  for (const [phase, reach] of Object.entries(PHASES))
    for (const [index, [interruption, interrupt]] of Object.entries(INTERRUPTIONS).entries()) {
      const want = ENDS[phase]?.[index] ?? '';
      it(`${want === 'gone' ? 'is removed' : `ends as ${want}`} when ${interruption} while ${phase}`, async () => {
        const world = new JobWorld(aZipJob(), (before, after) => {
          expectInvariants(before, after, world);
        });
        await reach(world);
        const wasFinished = isFinished(world.zipJob ?? {});
        interrupt(world);
        await world.reconcile();
        await follow(world, want === 'Suspended');
        expect(endOf(world)).to.equal(want);
        expect(isFinished(world.zipJob ?? {})).to.equal(want !== 'Suspended' && want !== 'gone');
        if (!wasFinished && want !== 'gone' && want !== 'OutcomeUnknown')
          expect(world.store.armed, 'no request can still publish an archive').to.deep.equal([]);
      });
    }
});
