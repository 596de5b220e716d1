/** Memory of the caches, queues and ledgers of a controller for finished jobs, through the real reflectors. */
import { setImmediate } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect } from 'chai';
import type { KubeObject } from '#runtime/kube/types.ts';
import { type FixedObjects, fixedKube } from '#test/support/builders/fixed-kube.ts';
import { fixedParts } from '#test/support/builders/fixed-parts.ts';
import { aZipProject } from '#test/support/builders/objects.ts';
import { productionJob, productionPod, productionZipJob } from '#test/support/builders/production-objects.ts';
import { sized } from '#test/support/sized.ts';

const KIB = 1024;
const DAYS_MS = 6 * 86_400_000;

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

async function heapBytes(): Promise<number> {
  for (let rounds = 0; rounds < 2; rounds += 1) {
    await setImmediate();
    collectGarbage();
  }
  return process.memoryUsage().heapUsed;
}

/** Bytes of heap that a controller uses for each of these objects once it has reconciled them. */
async function bytesEach(stored: FixedObjects, count: number): Promise<number> {
  await using resources = new AsyncDisposableStack();
  const stop = new AbortController();
  // Without a project, a namespace has other limits.
  const project = aZipProject();
  const { namespace } = (productionZipJob(0) as KubeObject).metadata;
  const zipprojects = {
    count: 1,
    build: () => ({ ...project, metadata: { ...project.metadata, namespace } }),
  };
  const parts = fixedParts(fixedKube({ zipprojects, ...stored }), { resources, stopping: stop.signal });
  const before = await heapBytes();
  const running = parts.watches.run(stop.signal);
  await parts.watches.synced(stop.signal);
  for (const key of parts.watches.caches.zipJobs.keys()) parts.queue.addAfter(key, DAYS_MS);
  const after = await heapBytes();
  expect([...parts.watches.caches.zipJobs.values()].length).to.equal(stored['zipjobs']?.count ?? 0);
  // Ends the timer of the due times.
  await parts.queue.run(() => Promise.resolve(), { workers: 1, signal: AbortSignal.abort() });
  stop.abort();
  await running;
  return (after - before) / count;
}

describe('memory of a controller', function () {
  this.timeout(120_000);
  const COUNT = sized(5_000, 20_000);
  async function measure(what: string, stored: FixedObjects, count: number): Promise<number> {
    const bytes = await bytesEach(stored, count);
    console.log(`      ${what}: ${(bytes / KIB).toFixed(2)} KiB each`);
    return bytes;
  }

  it('is at most 0.6 KiB for a finished ZipJob, and 1.7 KiB more while it has a Job and a pod (G1)', async () => {
    await measure('warm-up', { zipjobs: { count: 1000, build: productionZipJob } }, 1000);
    const zipJob = await measure(
      'ZipJob',
      { zipjobs: { count: COUNT, build: (n) => productionZipJob(n) } },
      COUNT,
    );
    const young = await measure(
      'ZipJob with its file list',
      { zipjobs: { count: COUNT, build: (n) => productionZipJob(n, false) } },
      COUNT,
    );
    const job = await measure('Job', { jobs: { count: COUNT, build: productionJob } }, COUNT);
    const pod = await measure('pod', { pods: { count: COUNT, build: productionPod } }, COUNT);
    console.log(
      `      100,000 jobs, 10,000 of them with Job, pod and file list: ${((90_000 * zipJob + 10_000 * (young + job + pod)) / KIB / KIB).toFixed(0)} MiB`,
    );
    expect(zipJob).to.be.below(0.6 * KIB);
    expect(job + pod).to.be.below(1.7 * KIB);
  });
});
