/** ZipJobs are created again from their YAML, as tools for backups do. */
import { expect } from 'chai';
import { zipJobName } from '#crds/api-group.ts';
import { startZipperWorld, type ZipperWorld } from '#test/support/worlds/zipper-world.ts';

describe('a ZipJob that was created with kubectl and restored from a backup', function () {
  this.timeout(300_000);
  let world: ZipperWorld;

  before(async () => {
    world = await startZipperWorld('restored-jobs');
  });
  after(() => world[Symbol.asyncDispose]());

  async function restore(uuid: string, backup: string): Promise<void> {
    const { namespace } = world.project;
    await world.cluster.kubectl(['-n', namespace, 'replace', '--force', '-f', '-'], { input: backup });
    const { status, metadata } = await world.untilEnd(uuid);
    expect(status, JSON.stringify(status)).to.include({ phase: 'Failed', reason: 'Restored' });
    const flags = ['--ignore-not-found', '-o', 'jsonpath={.metadata.ownerReferences[0].uid}'];
    const owner = await world.kubectl('get', 'job', zipJobName(uuid), ...flags);
    expect(owner).not.to.equal(metadata.uid);
  }
  function backupOf(uuid: string): Promise<string> {
    return world.kubectl('get', 'zipjob', zipJobName(uuid), '-o', 'yaml');
  }

  it('does not run again, whether it had finished or was running (F33)', async () => {
    const finished = await world.start([world.origin.url('/gen/1000/1')]);
    const { status } = await world.untilEnd(finished);
    expect(status, JSON.stringify(status)).to.include({ phase: 'Succeeded', reason: 'Uploaded' });
    const held = world.hold();
    const running = await world.start([held.url]);
    await world.untilUploading(running);
    const backup = await backupOf(running);
    await restore(finished, await backupOf(finished));
    await restore(running, backup);
    held.release();
    expect(await world.project.bucket.exists(`${running}.zip`)).to.equal(false);
  });
});
