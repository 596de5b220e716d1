import { expect } from 'chai';
import { createRefusedJobs } from '#controller/zip-project/refused-jobs.ts';
import { rfc3339 } from '#crds/conditions.ts';
import type { ZipJob } from '#crds/zip-job.ts';
import { objectKey } from '#runtime/kube/types.ts';
import { aZipJob, NAMESPACE } from '#test/support/builders/objects.ts';

const OF_WEBHOOK = 'POST /jobs: 400 BadRequest: admission webhook "require-team" denied the request: no team';
const OF_POLICY =
  "pods is forbidden: ValidatingAdmissionPolicy 'require-team' with binding 'all' denied request: no team";

function waiting(name: string, message: string, status: 'True' | 'False' = 'True'): ZipJob {
  const condition = {
    type: 'Waiting',
    status,
    reason: 'AdmissionRefused',
    message,
    lastTransitionTime: rfc3339(new Date(0)),
  };
  const zipJob = aZipJob({ status: { phase: 'Queued', conditions: [condition] } });
  return { ...zipJob, metadata: { ...zipJob.metadata, name } };
}

describe('createRefusedJobs', () => {
  function setUp() {
    const notified: string[] = [];
    const jobs = createRefusedJobs((key) => notified.push(key));
    function set(object: ZipJob) {
      jobs.see({ kind: 'set', key: objectKey(object), object, before: undefined });
    }
    return { jobs, set, notified };
  }

  for (const message of [OF_WEBHOOK, OF_POLICY])
    it(`knows what refused a job: ${message} (X41)`, () => {
      const { jobs, set, notified } = setUp();
      set(waiting('a', message));
      expect(jobs.of(NAMESPACE)).to.equal(message);
      expect(notified).to.deep.equal([`${NAMESPACE}/project`]);
      set(waiting('a', message, 'False'));
      expect(jobs.of(NAMESPACE)).to.equal(undefined);
      expect(notified).to.have.length(2);
    });

  it('ignores other reasons to wait, and quotas (X41)', () => {
    const { jobs, set, notified } = setUp();
    for (const message of [
      'jobs.batch is forbidden: exceeded quota: jobs',
      'User "a" cannot create jobs',
      '',
    ])
      set(waiting('a', message));
    expect([jobs.of(NAMESPACE), notified]).to.deep.equal([undefined, []]);
  });

  it('reports the first of many refusals, so that a project changes once (X41)', () => {
    const { jobs, set, notified } = setUp();
    for (const name of ['a', 'b', 'c']) set(waiting(name, `${OF_WEBHOOK} of ${name}`));
    set(waiting('a', `${OF_WEBHOOK} again`));
    expect(jobs.of(NAMESPACE)).to.equal(`${OF_WEBHOOK} of a`);
    expect(notified).to.have.length(1);
    const gone = waiting('a', OF_WEBHOOK);
    jobs.see({ kind: 'deleted', key: objectKey(gone), before: gone });
    expect(jobs.of(NAMESPACE)).to.equal(`${OF_WEBHOOK} of b`);
    expect(notified).to.have.length(2);
  });
});
