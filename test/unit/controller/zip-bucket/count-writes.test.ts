/** Job counts of a thousand buckets, through the real queue, reconcile, decision and counter, with simulated time. */
import { expect } from 'chai';
import { Registry } from 'prom-client';
import { createControllerMetrics } from '#controller/metrics.ts';
import { ZIPBUCKET } from '#controller/reconciling/measure-reconcile.ts';
import { createReconcile } from '#controller/reconciling/reconcile.ts';
import { createWorkQueue } from '#controller/reconciling/work-queue.ts';
import { createActOnBucket } from '#controller/zip-bucket/act.ts';
import { createCountWrites } from '#controller/zip-bucket/count-writes.ts';
import { decideBucket } from '#controller/zip-bucket/decide.ts';
import { createTestPlaces } from '#controller/zip-bucket/test-places.ts';
import { createUnfinishedJobs } from '#controller/zip-bucket/unfinished-jobs.ts';
import { FINALIZER } from '#crds/api-group.ts';
import type { ZipBucket } from '#crds/zip-bucket.ts';
import type { ZipJob } from '#crds/zip-job.ts';
import { objectKey } from '#runtime/kube/types.ts';
import { createLogger } from '#runtime/log/log.ts';
import { aConfig } from '#test/support/builders/config.ts';
import { createManualClock } from '#test/support/builders/manual-clock.ts';
import { aZipBucket, aZipJob, NAMESPACE } from '#test/support/builders/objects.ts';
import { NO_QUOTA_ROOM } from '#test/support/builders/quota-room.ts';

const PER_SECOND = 20;
/** The delay of `onBucketUse` in wiring.ts. */
const USE_MS = 1000;

function aBucket(name: string): ZipBucket {
  return {
    ...aZipBucket(),
    metadata: { namespace: NAMESPACE, name, uid: `uid-${name}`, finalizers: [FINALIZER] },
    status: { activeJobs: 0 },
  };
}

/** A controller of buckets, and the times of its writes. */
function setUp(names: readonly string[]) {
  const clock = createManualClock();
  const buckets = new Map(names.map((name) => [`${NAMESPACE}/${name}`, aBucket(name)]));
  const unfinishedJobs = createUnfinishedJobs();
  const writes: number[] = [];
  const log = createLogger('test', { level: 'silent' });
  const queue = createWorkQueue({ log, clock });
  const countWrites = createCountWrites({ perSecond: PER_SECOND, clock });
  const config = aConfig();
  const reconcile = createReconcile({
    controller: ZIPBUCKET,
    observe: async (key) => {
      const bucket = buckets.get(key);
      const others = {
        isHeld: false,
        zipJobs: [],
        project: undefined,
        isProjectLeaving: false,
        tests: [],
        isNamespaceTerminating: false,
      };
      return bucket && { bucket, unfinishedJobs: unfinishedJobs.count(key), ...others };
    },
    decide: (seen, now) => decideBucket(seen, now, config),
    act: createActOnBucket({
      applyStatus: async (bucket, status) => {
        writes.push(clock.monotonicMs());
        const next = { ...bucket, status };
        buckets.set(objectKey(bucket), next);
        queue.addAfter(objectKey(bucket), USE_MS);
        return next;
      },
      jobs: { create: async (job) => job, delete: async () => true },
      finalizers: { add: async (one) => one, release: async (one) => one },
      clock,
      countWrites,
      quotaRoom: NO_QUOTA_ROOM,
      testPlaces: createTestPlaces({ inAll: 1, perProject: 1 }),
      recordEvent: () => undefined,
      requeue: (key, ms) => queue.addAfter(key, ms),
    }),
    onGone: (key) => countWrites.release(key),
    queue,
    clock,
    metrics: createControllerMetrics(new Registry()),
  });
  const stop = new AbortController();
  const running = queue.run(reconcile, { workers: 2, signal: stop.signal });
  function see(before: ZipJob | undefined, object: ZipJob): void {
    unfinishedJobs.see({ kind: 'set', key: objectKey(object), object, before });
    queue.addAfter(`${NAMESPACE}/${object.spec.bucketRef.name}`, USE_MS);
  }
  return {
    clock,
    writes,
    start: (bucket: string, name: string): ZipJob => {
      const zipJob = aZipJob({ metadata: { name }, spec: { bucketRef: { name: bucket } } });
      see(undefined, zipJob);
      return zipJob;
    },
    finish: (zipJob: ZipJob): void => see(zipJob, { ...zipJob, status: { phase: 'Succeeded' } }),
    countOf: (name: string) => buckets.get(`${NAMESPACE}/${name}`)?.status?.activeJobs,
    /** As each full reconcile does. */
    addAll: () => {
      for (const key of buckets.keys()) queue.add(key, 'resync');
    },
    [Symbol.asyncDispose]: async () => {
      stop.abort();
      await running;
    },
  };
}

/** The most writes within a second. */
function mostPerSecond(writes: readonly number[]): number {
  return Math.max(
    ...writes.map((atMs) => writes.filter((other) => other >= atMs && other < atMs + 1000).length),
  );
}

describe('job counts of buckets', () => {
  const NAMES = Array.from({ length: 1000 }, (_, n) => `b${n}`);

  it('of a thousand buckets cost a fixed number of writes per second, and are right in the end (G6)', async () => {
    await using world = setUp(NAMES);
    for (let second = 0; second < 30; second += 1) {
      const jobs = NAMES.map((bucket, n) => world.start(bucket, `j${second}-${n}`));
      for (const zipJob of second % 2 === 0 ? jobs.slice(0, 700) : jobs) world.finish(zipJob);
      await world.clock.advance(1000);
      if (second === 15) world.addAll();
    }
    expect(world.writes.length).to.be.above(25 * PER_SECOND);
    expect(mostPerSecond(world.writes)).to.be.at.most(PER_SECOND);
    await world.clock.advance(NAMES.length * 1000);
    expect(NAMES.map((name) => world.countOf(name))).to.deep.equal(NAMES.map((_, n) => (n < 700 ? 0 : 15)));
    expect(mostPerSecond(world.writes)).to.be.at.most(PER_SECOND);
    expect(world.writes.length, 'a count that is right is not written again').to.be.at.most(2000);
  });

  it('change once, after a second, when nothing else changes (G6)', async () => {
    await using world = setUp(NAMES);
    const zipJob = world.start('b7', 'j');
    await world.clock.advance(USE_MS);
    expect(world.countOf('b7')).to.equal(1);
    await world.clock.advance(60_000);
    world.finish(zipJob);
    await world.clock.advance(USE_MS);
    expect(world.countOf('b7')).to.equal(0);
    expect(world.writes).to.have.lengthOf(2);
  });

  it('follow a ZipJob that was deleted or moved to another bucket by a recreation (G6)', () => {
    const jobs = createUnfinishedJobs();
    function inBucket(name: string): ZipJob {
      return aZipJob({ spec: { bucketRef: { name } } });
    }
    const key = objectKey(inBucket('a'));
    jobs.see({ kind: 'set', key, object: inBucket('a'), before: undefined });
    jobs.see({ kind: 'set', key, object: inBucket('b'), before: inBucket('a') });
    expect(['a', 'b'].map((name) => jobs.count(`${NAMESPACE}/${name}`))).to.deep.equal([0, 1]);
    jobs.see({ kind: 'deleted', key, before: inBucket('b') });
    expect(jobs.count(`${NAMESPACE}/b`)).to.equal(0);
  });

  it('leave the places that are given up to others, so that no wait grows (G6)', () => {
    const clock = createManualClock();
    const places = createCountWrites({ perSecond: PER_SECOND, clock });
    for (let second = 0; second < 60; second += 1) {
      // The job of each of these buckets starts and ends before its count is written.
      for (const key of NAMES) places.reserve(key);
      for (const key of NAMES) places.release(key);
      clock.jump(1000);
    }
    expect(places.reserve('another')).to.be.at.most((NAMES.length / PER_SECOND) * 1000);
  });

  it('give up the place of a bucket whose count is right (G6)', () => {
    const clock = createManualClock();
    const places = createCountWrites({ perSecond: 1, clock });
    expect(['a', 'b', 'c'].map((key) => places.reserve(key))).to.deep.equal([0, 1000, 2000]);
    clock.jump(10_000);
    places.release('b');
    expect(['b', 'c', 'b'].map((key) => places.reserve(key))).to.deep.equal([0, 0, 1000]);
  });

  it('are not all written at once after the process or the API server was busy for seconds (G6)', () => {
    const clock = createManualClock();
    const places = createCountWrites({ perSecond: PER_SECOND, clock });
    for (const key of NAMES) places.reserve(key);
    const writes: number[] = [];
    for (const stepMs of [3000, ...Array.from({ length: 1200 }, () => 50)]) {
      clock.jump(stepMs);
      for (const key of NAMES.slice(1)) if (places.reserve(key) === 0) writes.push(clock.monotonicMs());
    }
    expect(writes.length).to.be.above(58 * PER_SECOND);
    expect(mostPerSecond(writes)).to.be.at.most(PER_SECOND + 1);
  });
});
