/** The counts of ZipJobs beside a cache that keeps those at rest as texts, under random changes. */
import { expect } from 'chai';
import { changingOf } from '#controller/cluster/caches.ts';
import { createRestingCounts } from '#controller/cluster/resting-counts.ts';
import { isResting, zipJobSkeleton } from '#controller/cluster/skeletons.ts';
import { createUnfinishedJobs } from '#controller/zip-bucket/unfinished-jobs.ts';
import { createReportingJobs } from '#controller/zip-job/reporting-jobs.ts';
import { FINALIZER } from '#crds/api-group.ts';
import { hasActivePod, isFinished, PHASES, type ZipJob, type ZipJobStatus } from '#crds/zip-job.ts';
import { createObjectCache } from '#runtime/kube/cache/object-cache.ts';
import { type Change, clusterIndex, objectKey } from '#runtime/kube/types.ts';
import { aZipJob, NAMESPACE } from '#test/support/builders/objects.ts';
import { finishedAs, running } from '#test/support/builders/zip-job-statuses.ts';
import { createRandom, type Random } from '#test/support/random.ts';
import { sized } from '#test/support/sized.ts';

const NAMESPACES = [NAMESPACE, 'other'];
const NAMES = Array.from({ length: 12 }, (_, n) => `job-${n}`);
const BUCKETS = ['s3-a', 's3-b'];
const SEEDS = sized(15, 40);
const ARCHIVED = [{ type: 'Archived', status: 'True', reason: 'Archived', message: '' } as const];

function anyStatus(random: Random): ZipJobStatus {
  const phase = random.pick(['Succeeded', 'Failed', 'Cancelled'] as const);
  const conditions = ARCHIVED.map((one) => ({ ...one, lastTransitionTime: '2026-05-04T12:00:00Z' }));
  return random.pick([
    {},
    { phase: 'Queued' },
    running('p1'),
    finishedAs(phase),
    finishedAs(phase, { conditions }),
    finishedAs(phase, { webhook: { state: 'Pending', attempts: 1 } }),
    finishedAs(phase, { job: { name: 'j', uid: 'u', podUid: 'p1' } }),
  ]);
}

/** The API server, and a cache that follows it by events and lists. */
function setUp(random: Random, hasHistory: boolean) {
  const cache = createObjectCache<ZipJob>({
    isAtRest: isResting,
    indexes: { changing: changingOf },
  });
  const counts = createRestingCounts();
  const unfinished = createUnfinishedJobs();
  const reporting = createReportingJobs();
  function report(change: Change<ZipJob>): void {
    for (const follower of [counts, unfinished, reporting]) follower.see(change);
  }
  const stored = new Map<string, ZipJob>();
  let version = 0;
  function kept(zipJob: ZipJob): ZipJob {
    return zipJobSkeleton(zipJob, hasHistory) as ZipJob;
  }
  function deliver(zipJob: ZipJob, isDeleted: boolean): void {
    for (const change of isDeleted ? cache.delete(kept(zipJob)) : cache.set(kept(zipJob))) report(change);
  }
  function write(name: string, uid: string): ZipJob {
    version += 1;
    const zipJob = aZipJob({
      metadata: {
        name,
        namespace: NAMESPACES[Number(name.slice('job-'.length)) % 2] ?? NAMESPACE,
        uid,
        resourceVersion: String(version),
        ...(random.next() < 0.5 && { finalizers: [FINALIZER] }),
      },
      spec: {
        bucketRef: { name: random.pick(BUCKETS) },
        ...(random.next() < 0.5 && { sourceBuckets: [random.pick(BUCKETS)] }),
      },
      status: anyStatus(random),
    });
    stored.set(name, zipJob);
    return zipJob;
  }
  function remove(name: string): ZipJob | undefined {
    const zipJob = stored.get(name);
    stored.delete(name);
    version += 1;
    return zipJob && { ...zipJob, metadata: { ...zipJob.metadata, resourceVersion: String(version) } };
  }
  function change(): { readonly zipJob: ZipJob; readonly isDeleted: boolean } | undefined {
    const name = random.pick(NAMES);
    if (random.next() < 0.2) {
      const gone = remove(name);
      return gone && { zipJob: gone, isDeleted: true };
    }
    const uid = random.next() < 0.2 ? undefined : stored.get(name)?.metadata.uid;
    return { zipJob: write(name, uid ?? `uid-${version}`), isDeleted: false };
  }
  return {
    /** A change of which the event arrives, perhaps twice. */
    event: () => {
      const seen = change();
      for (let times = random.int(1, 2); seen && times > 0; times -= 1) deliver(seen.zipJob, seen.isDeleted);
    },
    /** Changes of which no event arrives, then a list. */
    relist: () => {
      for (let missed = random.int(0, 5); missed > 0; missed -= 1) change();
      const list = cache.receiveList();
      for (const zipJob of stored.values())
        if (list.isKnown(zipJob)) list.addKnown(zipJob);
        else list.add(kept(zipJob));
      list.publish(report);
    },
    check: () => {
      const all = [...stored.values()];
      function count(isOne: (zipJob: ZipJob) => boolean): number {
        return all.filter(isOne).length;
      }
      const atRest = all.map(kept).filter(isResting);
      const objects = Object.fromEntries([...cache.values()].map((one) => [objectKey(one), one]));
      expect(objects).to.deep.equal(Object.fromEntries(all.map((one) => [objectKey(one), kept(one)])));
      const expected = NAMESPACES.flatMap((project) =>
        PHASES.map((phase) => ({
          project,
          phase,
          count: atRest.filter(
            ({ metadata, status }) => metadata.namespace === project && status.phase === phase,
          ).length,
        })),
      );
      expect([...counts.counts()]).to.have.deep.members(expected.filter(({ count }) => count > 0));
      expect(cache.byClusterIndex(clusterIndex('changing'), 'changing')).to.have.lengthOf(
        all.length - atRest.length,
      );
      expect(BUCKETS.map((bucket) => unfinished.count(`${NAMESPACE}/${bucket}`))).to.deep.equal(
        BUCKETS.map((bucket) =>
          count(
            (one) =>
              one.metadata.namespace === NAMESPACE &&
              [one.spec.bucketRef.name, ...(one.spec.sourceBuckets ?? [])].includes(bucket) &&
              !isFinished(one),
          ),
        ),
      );
      expect(reporting.count).to.equal(count((one) => !isFinished(one) && hasActivePod(one)));
    },
  };
}

describe('counts of cached ZipJobs', () => {
  for (const hasHistory of [false, true])
    it(`equal those of all objects after any changes ${hasHistory ? 'with' : 'without'} a history (G3)`, () => {
      for (let seed = 1; seed <= SEEDS; seed += 1) {
        const random = createRandom(seed);
        const world = setUp(random, hasHistory);
        for (let step = 0; step < 60; step += 1) {
          if (random.next() < 0.1) world.relist();
          else world.event();
          world.check();
        }
      }
    });
});
