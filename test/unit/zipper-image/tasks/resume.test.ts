/** A pod continues the upload of an earlier one. */
import { expect } from 'chai';
import { EXIT_CODES } from '#crds/exit-codes.ts';
import { readZip } from '#test/support/archives/read-zip.ts';
import { until } from '#test/support/until.ts';
import { exitCodeOf } from '#zipper-image/status/failure.ts';
import { contents, finished, killedAfter, optionsOf, statedOptionsOf, undisturbed } from './resume-files.ts';
import { ResumeWorld } from './resume-world.ts';

describe('an upload of an earlier pod', () => {
  let world: ResumeWorld;
  beforeEach(async () => {
    world = await ResumeWorld.start(optionsOf(contents()));
  });
  afterEach(() => world[Symbol.asyncDispose]());

  it('is continued: the archive is the same, and what is kept is not requested again (G12)', async () => {
    const { archive } = await undisturbed(world);
    const first = await killedAfter(world, 12);
    const before = world.origin.requests.length;
    const second = world.nextPod();
    const { result } = await finished(second);
    expect(world.archive?.equals(archive)).to.equal(true);
    expect(result?.resumes).to.equal(1);
    const { upload } = world.written.get(second.uid) ?? {};
    expect(upload).to.include({ state: 'committing', owner: first.uid });
    expect(upload?.resumedParts).to.be.at.least(12);
    expect(upload?.resumedBytes).to.equal((upload?.resumedParts ?? 0) * world.settings.partSizeBytes);
    const again = world.origin.requests.slice(before).map(({ path }) => path);
    expect(again).to.not.include('/first');
    expect(world.hostile.uploads.size).to.equal(0);
    expect(world.hostile.objects.get('a.zip')?.metadata).to.include({ 'zip-attempt': first.uid });
  });

  /** Kills three pods, the first one at this step. */
  async function killThree(at: number): Promise<void> {
    for (let pods = 0; ; pods += 1) {
      const pod = world.nextPod();
      if (pods < 3) pod.killAt = at + 5 * pods;
      const { result, error } = await pod.run();
      // Recovery finishes or aborts a committing upload.
      if (result !== undefined || world.uploadOf(pod)?.state === 'committing') return;
      if (!pod.isDead) throw new Error(`the pod failed after a kill at ${at}`, { cause: error });
      world.over(pod, 137);
    }
  }

  for (let eighth = 0; eighth < 8; eighth += 1)
    it(`leaves the same archive when pods are killed after ${eighth}/8 of their requests (G12)`, async () => {
      const { archive, steps } = await undisturbed(world);
      await killThree(2 + Math.floor((eighth * steps.length) / 8));
      expect(world.archive === undefined || world.archive.equals(archive)).to.equal(true);
    });

  for (const quarter of [1, 2, 3])
    it(`leaves the same exact headers when pods are killed after ${quarter}/4 of their requests (G12)`, async () => {
      await world[Symbol.asyncDispose]();
      world = await ResumeWorld.start(statedOptionsOf(contents()));
      const { archive, steps } = await undisturbed(world);
      const exact = readZip(archive).entries.filter(({ method, size }) => method === 0 && size > 1_048_576);
      expect(exact.map(({ name }) => name)).to.deep.equal(['file-1.bin', 'file-6.bin', 'file-8.bin']);
      await killThree(2 + Math.floor((quarter * steps.length) / 4));
      expect(world.archive === undefined || world.archive.equals(archive)).to.equal(true);
    });

  it('is left by a pod that is stopped, and nothing that was confirmed is fetched again (G12)', async () => {
    const { archive } = await undisturbed(world);
    const first = world.nextPod();
    let confirmed = 0;
    first.onStep = (step) => {
      if (step === 'uploadPart after') confirmed += 1;
      if (confirmed === 14 && world.checkpoint)
        first.stopping.abort(new DOMException('received SIGTERM', 'AbortError'));
    };
    const { failure } = await first.run();
    expect(failure).to.include({ code: 'Terminated', upload: 'kept', retriable: true });
    expect(exitCodeOf(failure!)).to.equal(EXIT_CODES.checkpointed);
    const left = world.written.get(first.uid);
    expect(left?.failure).to.include({ code: 'Terminated', upload: 'kept' });
    expect(left?.upload).to.include({ state: 'open', checkpoint: world.checkpoint?.sequence });
    const [upload] = world.hostile.uploads.values();
    const parts = upload?.parts.size ?? 0;
    expect(parts).to.be.at.least(14);
    world.over(first, EXIT_CODES.checkpointed);
    const sent = world.hostile.requests.filter(({ operation }) => operation === 'part').length;
    const second = world.nextPod();
    await finished(second);
    expect(world.archive?.equals(archive)).to.equal(true);
    const resumed = world.uploadOf(second)?.resumedParts ?? 0;
    const again = world.hostile.requests.filter(({ operation }) => operation === 'part').length - sent;
    expect(again + resumed).to.equal(world.uploadOf(second)?.parts);
  });

  it('is continued at a store that verifies parts by their MD5 (G12)', async () => {
    world.hostile.refusesNewHeaders = true;
    const { archive } = await undisturbed(world);
    await killedAfter(world, 20);
    const second = world.nextPod();
    await finished(second);
    expect(world.archive?.equals(archive)).to.equal(true);
    expect(world.uploadOf(second)?.resumedParts).to.be.at.least(1);
    expect(world.hostile.requests.some(({ headers }) => headers['content-md5'] !== undefined)).to.equal(true);
  });

  it('leaves an upload to recovery if it is stopped while it records that it commits (G13)', async () => {
    const pod = world.nextPod();
    pod.onStep = async (step) => {
      if (step === 'uploadPart before' && pod.steps.includes('uploadPart after'))
        await until('a checkpoint', () => world.checkpoint !== undefined);
      if (step !== 'status committing before' || pod.stopping.signal.aborted) return;
      pod.stopping.abort(new DOMException('received SIGTERM', 'AbortError'));
      throw new DOMException('received SIGTERM', 'AbortError');
    };
    const { failure } = await pod.run();
    expect(failure).to.include({ code: 'Terminated' });
    expect(failure?.upload).to.equal(undefined);
    expect(pod.steps.filter((step) => step.startsWith('abort'))).to.deep.equal([]);
    expect(world.hostile.uploads.size).to.equal(1);
  });
});
