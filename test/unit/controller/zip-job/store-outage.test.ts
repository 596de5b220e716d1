/** An attempt is lost, and recovery cannot ask the store for a long time. */
import { expect } from 'chai';
import { isJobFinished } from '#controller/cluster/job-state.ts';
import { findCondition } from '#crds/conditions.ts';
import { aZipJob, NAME, NAMESPACE } from '#test/support/builders/objects.ts';
import { expectInvariants } from '#test/support/worlds/job-world/invariants.ts';
import { JobWorld } from '#test/support/worlds/job-world/job-world.ts';
import { livePods, round, runFor, runToEnd } from '#test/support/worlds/job-world/steps.ts';

const MINUTE = 60;
const HOUR = 3600;

function statusOf({ zipJob }: JobWorld) {
  return zipJob?.status ?? {};
}

function unfinishedRecoveryJobs({ jobs }: JobWorld): readonly string[] {
  return jobs
    .all()
    .filter((job) => job.metadata.name !== NAME && !isJobFinished(job))
    .map(({ metadata }) => metadata.name);
}

/** A job whose pod recorded this state of its upload. */
async function recorded(state: 'open' | 'committing'): Promise<JobWorld> {
  const world = new JobWorld(aZipJob(), (before, after) => {
    expectInvariants(before, after, world);
  });
  for (let rounds = 0; rounds < 20 && statusOf(world).upload?.state !== state; rounds += 1)
    await round(world);
  expect(statusOf(world).upload?.state).to.equal(state);
  return world;
}

/** A job whose pod sent CompleteMultipartUpload and is then killed. */
function lostInCommit(): Promise<JobWorld> {
  return recorded('committing');
}

function kill(world: JobWorld): void {
  for (const pod of livePods(world)) pod.end({ exitCode: 137 });
}

describe('an attempt that was lost while it committed', () => {
  for (const complete of ['arrived', 'did not arrive'])
    it(`succeeds after the store was away for 30 minutes, when Complete ${complete} (F25)`, async () => {
      const world = await lostInCommit();
      if (complete === 'arrived') {
        for (const pod of livePods(world)) pod.step();
        world.store.arrive();
      }
      world.store.isDown = true;
      kill(world);
      await runFor(world, 30 * MINUTE);
      expect(statusOf(world)).to.include({ phase: 'Running', apiStatus: 'processing' });
      await runToEnd(world);
      expect(statusOf(world)).to.include({ phase: 'Succeeded', reason: 'VerifiedInStore', attemptsTotal: 1 });
    });

  it('succeeds after no node had room for the recovery pod for two hours (F25)', async () => {
    const world = await lostInCommit();
    for (const pod of livePods(world)) pod.step();
    world.store.arrive();
    world.isFull = true;
    kill(world);
    await runFor(world, 2 * HOUR);
    expect(statusOf(world).apiStatus).to.equal('processing');
    await runToEnd(world);
    expect(statusOf(world)).to.include({ phase: 'Succeeded', reason: 'VerifiedInStore' });
  });

  it('ends as OutcomeUnknown and leaves no recovery Job running when the store is away for a day (F25)', async () => {
    const world = await lostInCommit();
    world.store.isDown = true;
    kill(world);
    await runFor(world, 24 * HOUR - 5 * MINUTE);
    expect(statusOf(world).apiStatus).to.equal('processing');
    expect(findCondition(statusOf(world).conditions, 'Recovered')?.message).to.match(
      /^attempt 1 waits for recovery, which gives up at .*: StoreUnavailable: the store did not respond$/,
    );
    await runFor(world, 10 * MINUTE);
    expect(statusOf(world)).to.include({ phase: 'Failed', reason: 'OutcomeUnknown' });
    expect(statusOf(world).message).to.contain(
      'recovery gave up: StoreUnavailable: the store did not respond',
    );
    expect(unfinishedRecoveryJobs(world)).to.deep.equal([]);
  });

  it('starts at most twelve recovery Jobs in the first half hour, at least ten seconds apart (F25)', async () => {
    const world = await lostInCommit();
    const seen = new Map<string, number>();
    world.store.isDown = true;
    kill(world);
    for (let seconds = 0; seconds < 30 * MINUTE; seconds += 1) {
      await runFor(world, 1);
      for (const job of world.jobs.all())
        if (job.metadata.name !== NAME) seen.set(job.metadata.creationTimestamp ?? '', seconds);
    }
    const starts = [...seen.keys()].map((text) => Date.parse(text) / 1000);
    const gaps = starts.slice(1).map((start, index) => start - (starts[index] ?? 0));
    expect(starts.length).to.be.within(3, 12);
    expect(Math.min(...gaps)).to.be.at.least(10);
    expect(Math.max(...gaps)).to.be.at.most(6 * MINUTE);
  });

  it('ends as OutcomeUnknown at once when the credentials may not read objects (F25)', async () => {
    const world = await lostInCommit();
    world.store.isReadDenied = true;
    kill(world);
    await runFor(world, 5 * MINUTE);
    expect(statusOf(world)).to.include({ phase: 'Failed', reason: 'OutcomeUnknown' });
    expect(statusOf(world).message).to.contain('s3:GetObject');
  });

  it('is recovered again when another client deletes the recovery Job (F25)', async () => {
    const world = await lostInCommit();
    world.store.isDown = true;
    kill(world);
    await runFor(world, 20 * MINUTE);
    for (const { metadata } of world.jobs.all())
      if (metadata.name !== NAME) world.jobs.remove(NAMESPACE, metadata.name);
    world.collectGarbage();
    world.store.isDown = false;
    await runToEnd(world);
    expect(statusOf(world)).to.include({ phase: 'Succeeded', reason: 'VerifiedInStore', attemptsTotal: 1 });
  });

  it('is recovered by another pod when the node of the recovery pod is lost unnoticed (F25)', async () => {
    const world = await lostInCommit();
    kill(world);
    function isRecovery(name: string): boolean {
      return name.includes('-recover-');
    }
    for (let rounds = 0; rounds < 10; rounds += 1) {
      const pod = livePods(world).find((one) => isRecovery(one.pod.metadata.name));
      if (pod) world.loseNode(pod, { noticed: false, dead: true });
      else await round(world);
    }
    await runToEnd(world);
    expect(statusOf(world)).to.include({ phase: 'Succeeded', reason: 'VerifiedInStore', attemptsTotal: 1 });
  });
});

describe('an attempt that was lost with an open upload', () => {
  for (const [awaySeconds, failures] of [
    [MINUTE, undefined],
    [HOUR, 1],
  ] as const)
    it(`is recovered by further Jobs for three minutes when the store is away for ${awaySeconds} seconds (H8)`, async () => {
      const world = await recorded('open');
      const starts = new Set<string>();
      world.store.isDown = true;
      kill(world);
      function isRecovered() {
        const { status, reason } = findCondition(statusOf(world).conditions, 'Recovered') ?? {};
        return status === 'True' || (status === 'False' && reason === 'PodActive' && starts.size > 0);
      }
      const lostAt = world.now.getTime();
      while (!isRecovered() && world.now.getTime() < lostAt + HOUR * 1000) {
        await runFor(world, 1);
        if (world.now.getTime() >= lostAt + awaySeconds * 1000) world.store.isDown = false;
        for (const { metadata } of world.jobs.all())
          if (metadata.name !== NAME) starts.add(metadata.creationTimestamp ?? '');
      }
      expect(starts.size).to.be.within(3, 6);
      expect(world.now.getTime() - lostAt).to.be.at.most(190_000);
      expect(statusOf(world).attempts?.[0]?.abortFailures).to.equal(failures);
      await runToEnd(world);
      expect(unfinishedRecoveryJobs(world)).to.deep.equal([]);
      expect(statusOf(world).phase).to.equal('Succeeded');
    });
});
