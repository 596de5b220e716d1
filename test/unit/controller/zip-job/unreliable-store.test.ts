/** An attempt is lost while it commits, at a store whose responses are not what they seem. */
import { expect } from 'chai';
import { aZipJob } from '#test/support/builders/objects.ts';
import { expectInvariants } from '#test/support/worlds/job-world/invariants.ts';
import { JobWorld } from '#test/support/worlds/job-world/job-world.ts';
import { livePods, round, runFor, runToEnd } from '#test/support/worlds/job-world/steps.ts';

function statusOf({ zipJob }: JobWorld) {
  return zipJob?.status ?? {};
}

/** The pod sent CompleteMultipartUpload and was then killed. */
async function lostAfterComplete(change: (world: JobWorld) => void, zipJob = aZipJob()): Promise<JobWorld> {
  const world = new JobWorld(zipJob, (before, after) => {
    expectInvariants(before, after, world);
  });
  for (let rounds = 0; rounds < 20 && statusOf(world).upload?.state !== 'committing'; rounds += 1)
    await round(world);
  change(world);
  for (const pod of livePods(world)) {
    pod.step();
    pod.end({ exitCode: 137 });
  }
  return world;
}

describe('an attempt that was lost while it committed, at an unreliable store', () => {
  it('stays unfinished while an ignored abort leaves the upload, and succeeds when Complete arrives (F27)', async () => {
    const world = await lostAfterComplete(({ store }) => {
      store.aborts = 'ignored';
      store.holdsComplete = true;
    });
    await runFor(world, 1800);
    expect(statusOf(world)).to.include({ phase: 'Running', apiStatus: 'processing' });
    world.store.holdsComplete = false;
    world.store.arrive();
    await runToEnd(world);
    expect(statusOf(world)).to.include({ phase: 'Succeeded', reason: 'VerifiedInStore' });
  });

  it('ends as OutcomeUnknown and names the permission while a refused abort leaves the upload (F27)', async () => {
    const world = await lostAfterComplete(
      ({ store }) => {
        store.aborts = 'refused';
        store.holdsComplete = true;
      },
      aZipJob({ spec: { activeDeadlineSeconds: 3600 } }),
    );
    // Recovery tries to complete the upload until the deadline of the job.
    await runFor(world, 1800);
    expect(statusOf(world)).to.include({ phase: 'Running', apiStatus: 'processing' });
    await runFor(world, 2700);
    expect(statusOf(world)).to.include({ phase: 'Failed', reason: 'OutcomeUnknown' });
    expect(statusOf(world).message).to.contain('s3:AbortMultipartUpload');
  });

  it('succeeds when the store shows the archive ten seconds late (F27)', async () => {
    const world = await lostAfterComplete(({ store }) => {
      store.showsAfterSeconds = 10;
    });
    await runToEnd(world);
    expect(statusOf(world)).to.include({ phase: 'Succeeded', reason: 'VerifiedInStore' });
  });
});
