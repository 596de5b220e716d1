/** A ZipCheckpoint that a backup has restored, beside a new job of its name that would like to have one. */
import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import { bucketResourceName, GROUP_VERSION, zipJobName } from '#crds/api-group.ts';
import { unsupportedPod } from '#test/support/builders/unsupported.ts';
import { startHoldingOrigin } from '#test/support/servers/held-files.ts';
import { until } from '#test/support/until.ts';
import { createProject } from '#test/support/worlds/project.ts';
import type { Installed } from './installed.ts';

const NAMESPACE = 'restored-checkpoint';

/** Every running job gets a checkpoint. */
export const CHECKPOINTED_PODS = unsupportedPod('controller', {
  RESUME_FROM_BYTES: 0,
  RESUME_FROM_SECONDS: 0,
});

export function describeRestoredCheckpoint(theInstalled: () => Installed): void {
  it('changes nothing of the job, also when its pod is lost', async () => {
    const { cluster } = theInstalled();
    await using life = new AsyncDisposableStack();
    const origin = life.use(await startHoldingOrigin());
    const project = life.use(await createProject(cluster, { namespace: NAMESPACE }));
    life.defer(async () => {
      await cluster.kubectl(['delete', 'namespace', NAMESPACE, '--wait=false']);
    });
    const uuid = randomUUID();
    const metadata = { namespace: NAMESPACE, name: zipJobName(uuid) };
    const spec = { zipJobUid: randomUUID(), activePodUid: randomUUID() };
    const status = {
      sequence: 9,
      uploadId: 'u',
      owner: spec.activePodUid,
      plan: '0'.repeat(64),
      records: '',
    };
    await cluster.apply([{ apiVersion: GROUP_VERSION, kind: 'ZipCheckpoint', metadata, spec }]);
    const restore = ['patch', 'zipcheckpoint', metadata.name, '-n', NAMESPACE, '--subresource=status'];
    await cluster.kubectl([...restore, '--type=merge', '-p', JSON.stringify({ status })]);
    const held = origin.hold({ isDripping: true });
    const bucketRef = { name: bucketResourceName('s3', project.bucketName) };
    const files = [{ url: held.url, filename: 'a' }];
    const job = { bucketRef, key: 'a.zip', files };
    await cluster.apply([{ apiVersion: GROUP_VERSION, kind: 'ZipJob', metadata, spec: job }]);
    const podUid = await until('the upload to be recorded', async () => {
      const running = (await project.zipJob(uuid)).status;
      return running?.phase === 'Running' && running.upload?.state === 'open' && running.job?.podUid;
    });
    cluster.node.kill(podUid, 'SIGKILL');
    held.release();
    const done = (await project.untilPhase(uuid, ['Succeeded', 'Failed'])).status;
    expect([done?.phase, done?.attemptsTotal], done?.message).to.deep.equal(['Succeeded', 2]);
    await until('no upload to be open', async () => (await project.bucket.openUploads()).length === 0);
  });
}
