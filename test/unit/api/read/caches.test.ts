import { expect } from 'chai';
import { createCaches } from '#api/read/caches.ts';
import type { ZipJob } from '#crds/zip-job.ts';
import { createLogger } from '#runtime/log/log.ts';
import { readClassLimits } from '#runtime/project-limits/class-settings.ts';
import { fixedKube } from '#test/support/builders/fixed-kube.ts';
import { aZipJob, aZipProject } from '#test/support/builders/objects.ts';

const JOBS_EACH = 2_100;
const PROJECT = 'team-a';

describe('the caches of the API', () => {
  it('keep the jobs of a project by the limits of its class, and fewer of another namespace (N36)', async () => {
    const zipJobs = {
      count: 2 * JOBS_EACH,
      build: (n: number): ZipJob =>
        aZipJob({
          metadata: { name: `zip-${n}`, namespace: n < JOBS_EACH ? PROJECT : 'other', uid: `uid-${n}` },
        }),
    };
    const project = aZipProject();
    function build() {
      return { ...project, metadata: { ...project.metadata, namespace: PROJECT } };
    }
    await using caches = createCaches({
      kube: fixedKube({ zipjobs: zipJobs, zipprojects: { count: 1, build } }),
      log: createLogger('test', { level: 'silent' }),
      metrics: {
        relisted: () => undefined,
        watchEnded: () => undefined,
        changesMissed: () => undefined,
        eventReceived: () => undefined,
      },
      responses: { keep: () => undefined },
      storage: { note: () => undefined },
      accepted: { note: () => undefined },
      classes: readClassLimits('{}'),
    });
    caches.start();
    await caches.synced(AbortSignal.timeout(30_000));
    function kept(namespace: string): number {
      return [...caches.zipJobs.keys()].filter((key) => key.startsWith(`${namespace}/`)).length;
    }
    expect([kept(PROJECT), kept('other'), caches.zipJobs.leftOut()]).to.deep.equal([JOBS_EACH, 2_000, 100]);
  });
});
