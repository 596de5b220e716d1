import { expect } from 'chai';
import { ANNOTATIONS } from '#crds/api-group.ts';
import { rerunsOf } from '#dashboard/jobs/reruns.ts';
import { ZIP_JOB_INDEXES } from '#dashboard/live/caches.ts';
import { toListedJob } from '#dashboard/live/listed-job.ts';
import { createFakeObjectsKeptAs } from '#test/support/builders/fake-objects.ts';
import { ago, aZipJob, NAME, NAMESPACE } from '#test/support/builders/objects.ts';

const ORIGIN = { namespace: NAMESPACE, name: NAME, creationTimestamp: ago(600) };

describe('rerunsOf', () => {
  function createJobs() {
    return createFakeObjectsKeptAs(toListedJob, { indexes: ZIP_JOB_INDEXES });
  }
  function aRerun(name: string, secondsAgo: number, more: { namespace?: string; of?: string } = {}) {
    return aZipJob({
      metadata: {
        name,
        namespace: more.namespace ?? NAMESPACE,
        creationTimestamp: ago(secondsAgo),
        annotations: { [ANNOTATIONS.runAgainOf]: more.of ?? NAME },
      },
      status: { phase: 'Failed' },
    });
  }

  it('lists the reruns of a job with their state, newest first', () => {
    const jobs = createJobs();
    for (const job of [aRerun('old', 300), aRerun('new', 10), aZipJob()]) jobs.put(job);
    expect(rerunsOf(jobs.reflector, ORIGIN)).to.deep.equal({
      rows: [
        {
          name: 'new',
          href: `/projects/${NAMESPACE}/jobs/new`,
          phase: 'Failed',
          look: 'bad',
          isFinished: true,
          createdAt: ago(10),
        },
        {
          name: 'old',
          href: `/projects/${NAMESPACE}/jobs/old`,
          phase: 'Failed',
          look: 'bad',
          isFinished: true,
          createdAt: ago(300),
        },
      ],
      more: 0,
    });
  });

  it('leaves out reruns of another job, project or earlier job of this name', () => {
    const jobs = createJobs();
    jobs.put(aRerun('a', 10, { of: 'another' }));
    jobs.put(aRerun('b', 10, { namespace: 'team-b' }));
    jobs.put(aRerun('c', 700));
    expect(rerunsOf(jobs.reflector, ORIGIN)).to.deep.equal({ rows: [], more: 0 });
  });

  it('reads at most a hundred and lists five', () => {
    const jobs = createJobs();
    for (let n = 0; n < 250; n += 1) jobs.put(aRerun(`rerun-${n}`, 500 - n));
    let reads = 0;
    function get(key: string) {
      reads += 1;
      return jobs.reflector.get(key);
    }
    const found = rerunsOf({ get, keysByIndex: (...at) => jobs.reflector.keysByIndex(...at) }, ORIGIN);
    expect(found.rows.map(({ name }) => name)).to.deep.equal(
      [249, 248, 247, 246, 245].map((n) => `rerun-${n}`),
    );
    expect([found.more, reads]).to.deep.equal([245, 100]);
  });
});
