/** Parts of a running job are deleted. */
import { expect } from 'chai';
import { until } from '#test/support/until.ts';
import { type Flow, startFlow } from '#test/support/worlds/flow.ts';
import { listedIn } from '#test/support/worlds/jobs-and-pods.ts';

describe('a job with a deleted resource', function () {
  this.timeout(240_000);
  let flow: Flow;
  before(async () => {
    flow = await startFlow('deleted-resources');
  });
  after(() => flow[Symbol.asyncDispose]());

  /** A job that runs until its source is released. */
  async function runningJob() {
    const held = flow.hold();
    const uuid = await flow.post([{ url: held.url, filename: 'a' }]);
    await flow.project.untilPhase(uuid, ['Running']);
    return { uuid, release: held.release };
  }
  function untilNoUpload(): Promise<unknown> {
    return until('no upload to be open', async () => (await flow.project.bucket.openUploads()).length === 0);
  }

  it('continues with a new pod when its pod is deleted, and records the attempt (F16)', async () => {
    const { uuid, release } = await runningJob();
    const { status } = await flow.project.zipJob(uuid);
    await flow.kubectl(
      'delete',
      'pod',
      status?.job?.podName ?? '',
      '--wait=false',
      '--grace-period=0',
      '--force',
    );
    release();
    const job = await flow.project.untilPhase(uuid, ['Succeeded', 'Failed'], 100_000);
    expect(job.status, JSON.stringify(job.status)).to.include({ phase: 'Succeeded', attemptsTotal: 2 });
    await untilNoUpload();
  });

  it('fails when its Job is deleted, and leaves no archive and no upload (F16)', async () => {
    const { uuid } = await runningJob();
    const before = await flow.project.bucket.keys();
    await flow.kubectl('delete', 'job', `zip-${uuid}`, '--wait=false');
    const job = await flow.project.untilPhase(uuid, ['Succeeded', 'Failed'], 100_000);
    expect(job.status, JSON.stringify(job.status)).to.include({ phase: 'Failed', reason: 'JobDeleted' });
    await untilNoUpload();
    expect(await flow.project.bucket.keys()).to.deep.equal(before);
  });

  it('is gone soon after its ZipJob is deleted, with its Job, its pods and its upload (F14)', async () => {
    const { uuid } = await runningJob();
    await flow.kubectl('delete', 'zipjob', `zip-${uuid}`, '--timeout=100s');
    await untilNoUpload();
    await until('the Job and its pods to be gone', async () => {
      const { cluster, project } = flow;
      const left = await listedIn(cluster, project.namespace, `app.kubernetes.io/instance=zip-${uuid}`);
      return left.length === 0;
    });
  });
});
