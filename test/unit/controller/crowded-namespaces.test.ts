/** What the caches of a controller keep of namespaces with many or large objects. */
import { expect } from 'chai';
import type { ObjectMeta } from '#crds/object-meta.ts';
import type { ZipBucket } from '#crds/zip-bucket.ts';
import type { ZipJob } from '#crds/zip-job.ts';
import { aZipBucket, aZipJob, aZipProject, NAMESPACE } from '#test/support/builders/objects.ts';
import { running } from '#test/support/builders/zip-job-statuses.ts';
import { until } from '#test/support/until.ts';
import { observeCached, withCachedCluster } from '#test/support/worlds/cached-cluster.ts';

const STRAY = 'stray';
const heavy = 'x'.repeat(250 * 1_024);

function aStray(name: string, change: Partial<ObjectMeta> = {}): ZipJob {
  return aZipJob({
    metadata: { name, namespace: STRAY, uid: `uid-${name}`, annotations: { note: heavy }, ...change },
  });
}

describe('the caches of the controller', () => {
  it('keep only the identity of a ZipJob without a project, which is reconciled with what the API server has (N36)', async () => {
    const leaving = { finalizers: ['zipjobs.dev/cleanup'], deletionTimestamp: '2026-01-02T03:04:05Z' };
    const zipJobs = [aStray('a'), aStray('b', leaving), aZipJob()];
    await withCachedCluster({ zipJobs }, async ({ parts }) => {
      const cache = parts.watches.caches.zipJobs;
      expect([...cache.keys()]).to.deep.equal([`${NAMESPACE}/${aZipJob().metadata.name}`]);
      expect([...cache.identityKeys()]).to.deep.equal([`${STRAY}/a`, `${STRAY}/b`]);
      expect(cache.identity(`${STRAY}/b`)?.metadata).to.deep.include(leaving);
      expect(JSON.stringify(cache.identity(`${STRAY}/a`)).length).to.be.below(200);
      const seen = await observeCached(parts, `${STRAY}/a`, { zipJobs });
      expect([seen.zipJob, seen.project]).to.deep.equal([zipJobs[0], undefined]);
    });
  });

  it('have the ZipJobs of a namespace once it is a project (N36)', async () => {
    await withCachedCluster({ zipJobs: [aStray('a')] }, async ({ parts, send }) => {
      const cache = parts.watches.caches.zipJobs;
      expect([...cache.keys()]).to.deep.equal([]);
      const project = aZipProject();
      const metadata = { ...project.metadata, namespace: STRAY, resourceVersion: '1000000001' };
      send('zipprojects', 'ADDED', { ...project, metadata });
      await until('the ZipJob', () => cache.get(`${STRAY}/a`) !== undefined);
      expect([...cache.identityKeys()]).to.deep.equal([]);
      expect(cache.get(`${STRAY}/a`)?.metadata.annotations).to.equal(undefined);
    });
  });

  it('keep a ZipJob that has a Job, whether or not its project exists (N36)', async () => {
    const zipJobs = [{ ...aStray('a'), status: running('p1') }];
    await withCachedCluster({ zipJobs }, async ({ parts }) => {
      expect([...parts.watches.caches.zipJobs.keys()]).to.deep.equal([`${STRAY}/a`]);
    });
  });

  it('keep 2,000 ZipBuckets of a namespace and nothing of their annotations (N36)', async () => {
    const bucket = aZipBucket();
    const buckets = Array.from({ length: 2_100 }, (_, n): ZipBucket => {
      const metadata = { ...bucket.metadata, name: `s3-${n}`, namespace: STRAY, uid: `uid-${n}` };
      return { ...bucket, metadata: { ...metadata, annotations: { note: 'x'.repeat(10_000) } } };
    });
    await withCachedCluster({ zipJobs: [], buckets }, async ({ parts }) => {
      const { buckets: cache } = parts.watches.caches;
      const kept = [...cache.values()];
      expect([kept.length, cache.leftOut(), cache.isIncomplete(STRAY)]).to.deep.equal([2_000, 100, true]);
      expect(JSON.stringify(kept).length).to.be.below(2_000 * 1_000);
    });
  });
});
