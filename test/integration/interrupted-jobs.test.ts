/** What changes between two pods of a job, of which the second continues the upload of the first. */
import { expect } from 'chai';
import { createBucketReader } from '#test/support/clients/bucket-reader.ts';
import { installChart, RELEASE, RELEASE_NAMESPACE } from '#test/support/processes/installation.ts';
import { startRotatingStore } from '#test/support/servers/rotating-store.ts';
import { type Flow, startFlow } from '#test/support/worlds/flow.ts';
import {
  earlyCheckpoints,
  expectContinued,
  type InterruptedJobs,
  putBucket,
  startInterruptedJobs,
} from '#test/support/worlds/interrupted-jobs.ts';
import { forgetInstallation } from '#test/support/worlds/shared-installation.ts';
import { createBucket } from '#tools/local-cluster/store.ts';

const OTHER_PART_BYTES = 6 * 1024 * 1024;
const IN_RELEASE = [RELEASE, '-n', RELEASE_NAMESPACE];

describe('a job between two pods', function () {
  this.timeout(240_000);
  const life = new AsyncDisposableStack();
  let flow: Flow;
  let jobs: InterruptedJobs;

  before(async () => {
    life.defer(forgetInstallation);
    flow = life.use(await startFlow('interrupted-jobs'));
    jobs = life.use(await startInterruptedJobs(flow));
    await installChart(flow.cluster, earlyCheckpoints());
  });
  after(() => life.disposeAsync());

  it('is continued with the keys that have replaced those of the first pod, which the store refuses now (G12)', async () => {
    await using rotating = await startRotatingStore();
    const old = rotating.store;
    const bucketName = 'rotated-archives';
    await createBucket(old, bucketName);
    await putBucket(flow, bucketName, old);
    const job = await jobs.interrupt({ bucketName, key: 'rotated.zip' });
    const store = await rotating.rotate();
    using refused = createBucketReader(old, bucketName);
    expect(await refused.keys().then(() => '', String)).to.match(/InvalidAccessKeyId|XAdminUserNotFound/);
    await putBucket(flow, bucketName, store);
    await expectContinued(job, await job.finish());
    using bucket = createBucketReader(store, bucketName);
    await job.check(bucket);
    expect(await bucket.openUploads()).to.deep.equal([]);
  });

  it('is continued after an upgrade to another image and other settings, and after its rollback (F23) (G12)', async () => {
    const { cluster, project } = flow;
    const { bucketName, bucket } = project;
    const history = await cluster.helm(['history', ...IN_RELEASE, '--output', 'json']);
    const before = (JSON.parse(history.stdout) as readonly { readonly revision: number }[]).at(-1)?.revision;
    const upgraded = await jobs.interrupt({ bucketName, key: 'upgraded.zip' });
    const zipper = { image: { tag: 'next' } };
    await installChart(cluster, { ...earlyCheckpoints(OTHER_PART_BYTES), zipper });
    await expectContinued(upgraded, await upgraded.finish());
    await upgraded.check(bucket);

    const rolledBack = await jobs.interrupt({ bucketName, key: 'rolled-back.zip' });
    expect(rolledBack.before.upload?.partSize).to.equal(OTHER_PART_BYTES);
    await cluster.helm([
      'rollback',
      RELEASE,
      String(before),
      ...IN_RELEASE.slice(1),
      '--wait',
      '--timeout',
      '200s',
    ]);
    await expectContinued(rolledBack, await rolledBack.finish());
    await rolledBack.check(bucket);
    const path = 'jsonpath={range .items[*]}{.spec.template.spec.containers[0].image} {end}';
    const images = (await flow.kubectl('get', 'jobs', '-o', path)).trim().split(' ');
    expect(
      images.filter((image) => image.endsWith(':next')),
      images.join(' '),
    ).to.have.length(1);
    expect(await bucket.openUploads()).to.deep.equal([]);
  });
});
