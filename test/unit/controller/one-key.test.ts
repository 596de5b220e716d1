/** What jobs of one key of a bucket cost each other, counted in the real caches, queue and ledger of a controller. */
import { expect } from 'chai';
import type { ZipJob } from '#crds/zip-job.ts';
import { objectKey } from '#runtime/kube/types.ts';
import { countReads } from '#test/support/builders/count-reads.ts';
import { LIST_VERSION } from '#test/support/builders/fixed-kube.ts';
import { ago, aZipBucket, aZipJob } from '#test/support/builders/objects.ts';
import { finishedAs, starting } from '#test/support/builders/zip-job-statuses.ts';
import { until } from '#test/support/until.ts';
import { observeCached, withCachedCluster } from '#test/support/worlds/cached-cluster.ts';

const COUNT = 4000;

function bucketOf(service: 's3' | 'r2') {
  return {
    ...aZipBucket({ service, endpoint: 'https://store.example' }),
    metadata: { ...aZipBucket().metadata, name: `${service}-archive`, uid: `uid-${service}` },
  };
}

/** The first one runs. */
function jobsOf(bucketAt: (n: number) => string): readonly ZipJob[] {
  return Array.from({ length: COUNT }, (_, n) =>
    aZipJob({
      metadata: {
        name: `job-${n}`,
        uid: `uid-${n}`,
        resourceVersion: `${n + 1}`,
        creationTimestamp: ago(2 * COUNT - n),
      },
      spec: { bucketRef: { name: bucketAt(n) } },
      status: n === 0 ? starting() : { phase: 'Queued', reason: 'OlderJobFirst' },
    }),
  );
}

describe(`${COUNT} jobs of one key`, () => {
  for (const [what, bucketAt] of [
    ['one ZipBucket', () => 's3-archive'],
    ['two ZipBuckets of one bucket', (n: number) => (n % 2 === 0 ? 's3-archive' : 'r2-archive')],
  ] as const)
    it(`of ${what} are reconciled one by one, and each reads one job (N31) (F43)`, async () => {
      const zipJobs = jobsOf(bucketAt);
      const [first, second] = zipJobs;
      if (!first || !second) throw new Error('no jobs');
      await withCachedCluster(
        { zipJobs, buckets: [bucketOf('s3'), bucketOf('r2')] },
        async ({ parts, send }) => {
          const { queue, leadership, watches } = parts;
          leadership.isOurs = true;
          const metadata = { ...first.metadata, resourceVersion: String(LIST_VERSION + 1) };
          send('zipjobs', 'MODIFIED', { ...first, metadata, status: finishedAs('Succeeded') });
          await until(
            'the end of the first job',
            () => watches.caches.zipJobs.get(objectKey(first))?.status?.phase === 'Succeeded',
          );
          expect(queue.depth, 'the job that ended, and the next one').to.equal(2);
          const reads = countReads(watches.caches.zipJobs);
          const { position } = await observeCached(parts, objectKey(second));
          expect(position).to.deep.equal({ state: 'none' });
          expect(reads(), 'jobs read by the next one').to.equal(1);
          const last = await observeCached(parts, objectKey(zipJobs.at(-1) ?? first));
          expect(last.position.blocked?.message).to.contain(`job job-${COUNT - 2} writes the same key`);
          expect(reads(), 'jobs read by the last one').to.equal(2);
        },
      );
    });
});
