/** What the controller does with the upload of a pod that is over, on a real API server. */
import { expect } from 'chai';
import { findCondition } from '#crds/conditions.ts';
import type { ZipCheckpointStatus } from '#crds/zip-checkpoint.ts';
import type { UploadState } from '#crds/zip-job.ts';
import { unsupportedPod } from '#test/support/builders/unsupported.ts';
import { anUpload, aResult } from '#test/support/builders/zip-job-statuses.ts';
import { installChart } from '#test/support/processes/installation.ts';
import { until } from '#test/support/until.ts';
import {
  type PlayedJob,
  type PlayedZipper,
  type PlayedZippers,
  playZippers,
} from '#test/support/worlds/played-zippers.ts';
import { sharedCluster } from '#test/support/worlds/shared-cluster.ts';
import { forgetInstallation } from '#test/support/worlds/shared-installation.ts';
import type { Cluster } from '#tools/local-cluster/cluster-types.ts';

const NAMESPACE = 'inherited-uploads';

function aCheckpoint(owner: PlayedZipper, sequence: number): ZipCheckpointStatus {
  return { sequence, uploadId: 'upload-1', owner: owner.uid, plan: '0'.repeat(64), records: 'cmVjb3Jkcw==' };
}

describe('the upload of a pod that is over', function () {
  this.timeout(300_000);
  const life = new AsyncDisposableStack();
  let cluster: Cluster;
  let world: PlayedZippers;

  before(async () => {
    life.defer(forgetInstallation);
    cluster = await sharedCluster();
    const podTemplate = unsupportedPod('controller', { RESUME_FROM_BYTES: 0 });
    await installChart(cluster, { controller: { replicas: 1, podTemplate } });
    world = life.use(await playZippers(cluster, NAMESPACE));
  });
  after(() => life.disposeAsync());

  /** A job whose first pod has written a checkpoint. */
  async function startCheckpointed(): Promise<{ job: PlayedJob; first: PlayedZipper }> {
    const job = await world.start();
    const first = await job.nextPod();
    expect((await first.write({ bytesUploaded: 1, upload: anUpload('open') })).status).to.equal(200);
    await job.until('the ZipCheckpoint', ({ checkpointed }) => checkpointed === true);
    const made = await job.zipCheckpoint();
    expect(made?.spec.activePodUid).to.equal(first.uid);
    expect(made?.metadata.ownerReferences?.[0]).to.include({ kind: 'ZipJob', name: `zip-${job.uuid}` });
    const written = await first.checkpoint(aCheckpoint(first, 1));
    expect(written.status, written.message).to.equal(200);
    await first.write({ bytesUploaded: 900, upload: { ...anUpload('open'), checkpoint: 1 } });
    return { job, first };
  }

  async function passOn(): Promise<{ job: PlayedJob; first: PlayedZipper; second: PlayedZipper }> {
    const { job, first } = await startCheckpointed();
    await first.kill();
    const second = await job.nextPod(first);
    return { job, first, second };
  }

  it('is continued by the next one, which alone may read and write the checkpoint (F9) (H8)', async () => {
    const { job, first, second } = await passOn();
    const { attempts, inherits, conditions } = await job.status();
    expect(inherits).to.include({ uploadId: 'upload-1', owner: first.uid, checkpoint: 1, resumes: 0 });
    expect(attempts?.[0]).to.include({ class: 'disruption', exitCode: 137 });
    expect(findCondition(conditions, 'Recovered')?.reason).to.equal('PodActive');
    expect(await job.recoveries()).to.deep.equal([]);
    expect((await first.checkpoint(aCheckpoint(first, 2))).status, 'the first pod').to.equal(403);
    expect((await second.checkpoint()).body['status']).to.include({ sequence: 1 });
    const upload: UploadState = {
      ...anUpload('open'),
      owner: first.uid,
      checkpoint: 1,
      resumedParts: 3,
      resumedBytes: 900,
    };
    const adopted = await second.write({ bytesUploaded: 900, upload });
    expect(adopted.status, adopted.message).to.equal(200);
    await job.until('the adoption', (seen) => seen.inherits?.adoptedBy === second.uid);
    await until('the event', async () => (await job.events()).includes('Resumed'));
    const result = aResult({ entries: 1, resumes: 1 });
    const ended = await second.write({
      bytesUploaded: 4096,
      upload: { ...upload, state: 'committing' },
      result,
    });
    expect(ended.status, ended.message).to.equal(200);
    const status = await job.until('the end', ({ phase }) => phase === 'Succeeded');
    expect(status).to.not.have.any.keys('inherits', 'checkpointed');
    expect(await job.zipCheckpoint()).to.equal(undefined);
  });

  it('is forgotten when the next one has started another, which says why', async () => {
    const { job, first, second } = await passOn();
    await second.write({ bytesUploaded: 0, upload: { ...anUpload('discarded'), owner: first.uid } });
    const upload: UploadState = { ...anUpload('open'), uploadId: 'upload-2', refusal: 'LayoutChanged' };
    await second.write({ bytesUploaded: 0, upload });
    await job.until('the refusal', ({ inherits }) => inherits === undefined);
    await until('the event', async () => (await job.events()).includes('ResumeRefused'));
    expect(await job.recoveries()).to.deep.equal([]);
    await job.cancel();
  });

  it('is recovered if the job is cancelled before the next one is active (H8)', async () => {
    const { job, first } = await startCheckpointed();
    const paused = cluster.pauseControllers();
    try {
      await first.kill();
      await job.until('the inheritance', ({ inherits }) => inherits !== undefined);
      await job.cancel();
      const { inherits } = await job.until('the end to begin', ({ phase }) => phase === 'Finalizing');
      expect(inherits).to.include({ uploadId: 'upload-1' });
    } finally {
      paused[Symbol.dispose]();
    }
    await world.nodes('there');
    const { attempts, ...status } = await job.until('the end', ({ phase }) => phase === 'Cancelled');
    expect(await job.recoveries()).to.deep.equal([`zip-${job.uuid}-recover-1`]);
    expect(attempts?.[0]).to.not.have.property('abortFailures');
    expect(status).to.not.have.any.keys('inherits', 'checkpointed');
    expect(await job.zipCheckpoint()).to.equal(undefined);
  });
});
