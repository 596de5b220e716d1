import { expect } from 'chai';
import type { ZipJob } from '#crds/zip-job.ts';
import { createCaches } from '#dashboard/live/caches.ts';
import { createLogger } from '#runtime/log/log.ts';
import { fixedKube } from '#test/support/builders/fixed-kube.ts';
import { aZipJob, aZipProject } from '#test/support/builders/objects.ts';

const JOBS_EACH = 2_100;
const NAMESPACES = ['small', 'large', 'new', 'stray'];

describe('the caches of the dashboard', () => {
  it('keep the jobs of a project by the limits of its class, and fewer of another namespace (N36)', async () => {
    const zipJobs = {
      count: NAMESPACES.length * JOBS_EACH,
      build: (n: number): ZipJob =>
        aZipJob({
          metadata: { name: `zip-${n}`, namespace: NAMESPACES[n % NAMESPACES.length] ?? '', uid: `uid-${n}` },
        }),
    };
    const project = aZipProject();
    function ofClass(n: number) {
      return {
        ...project,
        metadata: { ...project.metadata, namespace: NAMESPACES[n] },
        ...(n < 2 && { status: { class: { name: 'c', limits: { storedJobs: [100, 2_000][n] } } } }),
      };
    }
    await using caches = createCaches({
      kube: fixedKube({ zipjobs: zipJobs, zipprojects: { count: 3, build: ofClass } }),
      log: createLogger('test', { level: 'silent' }),
      metrics: {
        relisted: () => undefined,
        watchEnded: () => undefined,
        changesMissed: () => undefined,
        eventReceived: () => undefined,
      },
      onZipJob: () => undefined,
    });
    caches.start();
    await caches.synced(AbortSignal.timeout(30_000));
    function kept(namespace: string): number {
      return [...caches.zipJobs.keys()].filter((key) => key.startsWith(`${namespace}/`)).length;
    }
    expect(NAMESPACES.map(kept)).to.deep.equal([2_000, JOBS_EACH, JOBS_EACH, 2_000]);
  });
});
