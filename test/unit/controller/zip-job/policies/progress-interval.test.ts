import { expect } from 'chai';
import { decide } from '#controller/zip-job/decide.ts';
import type { Observation } from '#controller/zip-job/observation.ts';
import { createReportingJobs } from '#controller/zip-job/reporting-jobs.ts';
import type { ZipJob, ZipJobStatus } from '#crds/zip-job.ts';
import { objectKey } from '#runtime/kube/types.ts';
import { aConfig } from '#test/support/builders/config.ts';
import { withStatus } from '#test/support/builders/judge.ts';
import { ago, aJob, aPod, aZipJob, NOW } from '#test/support/builders/objects.ts';
import { anObservation } from '#test/support/builders/observation.ts';
import { aResult, progressOf, running, starting } from '#test/support/builders/zip-job-statuses.ts';

const config = aConfig({ progressWritesPerSecond: 50, progressBytesPerSecond: 1_048_576 });
const KIB = 1024;

function judge(seen: Partial<Observation>, settings = config): ZipJobStatus | undefined {
  return decide(anObservation({ job: aJob(), pods: [aPod('p1')], ...seen }), NOW, settings).status;
}

/** The interval of a running job after one more progress write, if its status is written; otherwise `unchanged`. */
function nextInterval(
  reportingJobs: number,
  current?: number,
  { settings = config, since = NOW, bytes = 0 } = {},
): number | undefined | 'unchanged' {
  const more = current === undefined ? {} : { progressIntervalSeconds: current };
  const zipJob = withStatus(running('p1', more), { metadata: 'x'.repeat(bytes) });
  const status = judge({ zipJob, reportingJobs, seenProgress: { since, isNew: true } }, settings);
  return status ? status.progressIntervalSeconds : 'unchanged';
}

function intervalOf(reportingJobs: number, bytes = 0, settings = config): number {
  const next = nextInterval(reportingJobs, undefined, { settings, bytes });
  return next === 'unchanged' || next === undefined ? 2 : next;
}

describe('the interval of progress writes', () => {
  it('is that of the zipper for a lone job, and for as many as the budget allows (G5)', () => {
    for (const jobs of [0, 1, 50, 100]) expect(nextInterval(jobs), `${jobs}`).to.equal('unchanged');
    expect(nextInterval(101)).to.equal(4);
  });

  it('keeps the writes of any number of jobs below the budget, and above a quarter of it (G5)', () => {
    for (let jobs = 101; jobs <= 6000; jobs += 59) {
      const perSecond = jobs / intervalOf(jobs);
      expect(perSecond, `${jobs} jobs`)
        .to.be.at.most(50)
        .and.above(50 / 4);
    }
  });

  it('keeps the bytes of jobs of any size below the budget (G5)', () => {
    const settings = aConfig({ ...config, progressIntervalMaxSeconds: 3600 });
    for (const kib of [1, 10, 100, 1000])
      for (const jobs of [1, 10, 100, 1000]) {
        const bytes = kib * KIB;
        const perSecond = (jobs * bytes) / intervalOf(jobs, bytes, settings);
        expect(perSecond, `${jobs} jobs of ${kib} KiB`).to.be.at.most(1_048_576);
      }
    expect(intervalOf(10, 1000 * KIB, settings)).to.equal(16);
  });

  it('does not exceed the maximum (G5)', () => {
    expect(intervalOf(1_000_000)).to.equal(120);
    expect(nextInterval(1_000_000, 120)).to.equal('unchanged');
    expect(nextInterval(1_000_000, 128)).to.equal(120);
  });

  it('does not flap: a number that halves and doubles changes it at most once (G5)', () => {
    let interval: number | undefined;
    let changes = 0;
    for (const jobs of [110, 199, 101, 150, 51, 200, 99, 60, 180, 52]) {
      const next = nextInterval(jobs, interval);
      if (next === 'unchanged') continue;
      changes += 1;
      interval = next;
    }
    expect({ changes, interval }).to.deep.equal({ changes: 1, interval: 4 });
    expect(nextInterval(50, 4), 'of a quarter').to.equal(undefined);
  });

  it('changes only right after a progress write (G5)', () => {
    const since = new Date(NOW.getTime() - 5000);
    expect(nextInterval(5000, 4, { since })).to.equal('unchanged');
    expect(nextInterval(5000, 4)).to.equal(120);
  });

  it('is known to the first write of a pod, and gone with the pod and the job (G5)', () => {
    const reportingJobs = 1000;
    const activated = judge({ zipJob: withStatus(starting()), reportingJobs });
    expect(activated?.job?.podUid).to.equal('uid-p1');
    expect(activated?.progressIntervalSeconds).to.equal(32);
    const status = running('p1', { progressIntervalSeconds: 32 });
    const lost = judge({ zipJob: withStatus(status), pods: [], reportingJobs });
    expect(lost?.job).to.not.have.property('podUid');
    expect(lost).to.not.have.property('progressIntervalSeconds');
    const done = judge({ zipJob: withStatus({ ...status, result: aResult() }), reportingJobs });
    expect(done?.phase).to.equal('Succeeded');
    expect(done).to.not.have.property('progressIntervalSeconds');
  });

  it('delays the report of a job without progress (G5)', () => {
    function at(seconds: number): ZipJobStatus | undefined {
      const zipJob = withStatus(running('p1', { progressIntervalSeconds: 64 }));
      return judge({
        zipJob,
        seenProgress: { since: new Date(NOW.getTime() - seconds * 1000), isNew: true },
      });
    }
    expect(at(config.noProgressSeconds + 60)).to.equal(undefined);
    expect(at(config.noProgressSeconds + 64)?.reason).to.equal('NoProgress');
  });

  it('follows the setting of the zippers (G5)', () => {
    const settings = aConfig({ ...config, taskSettings: { statusProgressIntervalMs: 8000 } });
    expect(nextInterval(400, undefined, { settings })).to.equal('unchanged');
    expect(nextInterval(401, undefined, { settings })).to.equal(16);
  });
});

describe('createReportingJobs', () => {
  it('counts unfinished jobs with an active pod (G5)', () => {
    const jobs = createReportingJobs();
    function see(name: string, status: ZipJobStatus, kind: 'set' | 'deleted' = 'set'): number {
      const object: ZipJob = aZipJob({ metadata: { name }, status });
      const key = objectKey(object);
      jobs.see(kind === 'set' ? { kind, key, object, before: undefined } : { kind, key, before: object });
      return jobs.count;
    }
    expect(see('a', starting())).to.equal(0);
    expect(see('a', starting('p1'))).to.equal(1);
    expect(see('b', running('p1', { progress: { ...progressOf('uid-p1'), updatedAt: ago(1) } }))).to.equal(2);
    expect(see('b', { ...running('p1'), phase: 'Succeeded' })).to.equal(1);
    expect(see('a', running('p1'), 'deleted')).to.equal(0);
  });
});
