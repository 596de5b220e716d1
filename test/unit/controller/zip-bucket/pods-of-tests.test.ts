/** Which change of a test makes the controller read its result, through the real caches of a controller. */
import { expect } from 'chai';
import { testJob } from '#controller/zip-bucket/test-manifest.ts';
import { aConfig } from '#test/support/builders/config.ts';
import { LIST_VERSION } from '#test/support/builders/fixed-kube.ts';
import { aPod, aZipBucket } from '#test/support/builders/objects.ts';
import { endedBesideSidecar } from '#test/support/builders/pod-statuses.ts';
import { until } from '#test/support/until.ts';
import { withCachedCluster } from '#test/support/worlds/cached-cluster.ts';

describe('the pod of a bucket test', () => {
  it('makes the controller reconcile its bucket, because its Job does not change beside a sidecar (X35)', async () => {
    const bucket = aZipBucket();
    const created = testJob(bucket, 'a', aConfig());
    const job = { ...created, metadata: { ...created.metadata, uid: 'uid-test', resourceVersion: '1' } };
    const { name, labels = {} } = job.metadata;
    const reference = { apiVersion: 'batch/v1', kind: 'Job', name, uid: 'uid-test', controller: true };
    const pod = aPod('t', { metadata: { labels, ownerReferences: [reference] } });
    await withCachedCluster({ zipJobs: [], jobs: [job], pods: [pod] }, async ({ parts, send }) => {
      const { queue, bucketQueue, leadership } = parts;
      leadership.isOurs = true;
      const before = bucketQueue.depth;
      const metadata = { ...pod.metadata, resourceVersion: String(LIST_VERSION + 1) };
      send('pods', 'MODIFIED', { ...pod, metadata, status: endedBesideSidecar({ exitCode: 0 }) });
      await until('a reconcile', () => bucketQueue.depth + queue.depth > before);
      expect([bucketQueue.depth, queue.depth]).to.deep.equal([1, 0]);
    });
  });
});
