import { expect } from 'chai';
import { pino } from 'pino';
import { Registry } from 'prom-client';
import { JOB_INDEXES, POD_INDEXES } from '#controller/cluster/caches.ts';
import { createControllerMetrics } from '#controller/metrics.ts';
import { podsExpireAt } from '#controller/zip-job/lifetime/lifetime.ts';
import { createQuotaRoom } from '#controller/zip-job/lifetime/quota-room.ts';
import { GROUP_VERSION } from '#crds/api-group.ts';
import type { ZipJob, ZipJobStatus } from '#crds/zip-job.ts';
import { KubeError } from '#runtime/kube/client/kube-error.ts';
import type { QuotaRefusal } from '#runtime/kube/quota-refusal.ts';
import type { Job, Pod } from '#runtime/kube/resources.ts';
import { aConfig } from '#test/support/builders/config.ts';
import { createFakeObjects } from '#test/support/builders/fake-objects.ts';
import { createManualClock } from '#test/support/builders/manual-clock.ts';
import { ago, aJob, aPod, aZipJob, NAMESPACE } from '#test/support/builders/objects.ts';
import { finishedAs, running } from '#test/support/builders/zip-job-statuses.ts';

const COMPLETE = { conditions: [{ type: 'Complete', status: 'True' }] };

function owner(kind: 'ZipJob' | 'Job', name: string) {
  const apiVersion = kind === 'Job' ? 'batch/v1' : GROUP_VERSION;
  return { ownerReferences: [{ apiVersion, kind, name, uid: `uid-${kind}-${name}`, controller: true }] };
}

function refusedBy(resource: string, numbers: Partial<QuotaRefusal['exceeded'][number]> = {}): QuotaRefusal {
  return { name: 'objects', exceeded: [{ resource, requested: '1', used: '3', hard: '3', ...numbers }] };
}

function setUp() {
  const zipJobs = createFakeObjects<ZipJob>();
  const jobs = createFakeObjects<Job>({ indexes: JOB_INDEXES });
  const pods = createFakeObjects<Pod>({ indexes: POD_INDEXES });
  const clock = createManualClock();
  const room = createQuotaRoom({
    caches: () => ({ zipJobs: zipJobs.reflector, jobs: jobs.reflector, pods: pods.reflector }),
    jobs: jobs.client,
    expiresAt: (zipJob) => podsExpireAt(zipJob, aConfig()),
    metrics: createControllerMetrics(new Registry()),
    clock,
    log: pino({ level: 'silent' }),
  });
  /** A ZipJob with a finished Job and an ended pod. */
  function add(name: string, status: ZipJobStatus, podPhase = 'Succeeded'): void {
    zipJobs.put(aZipJob({ metadata: { name, uid: `uid-ZipJob-${name}` }, status }));
    jobs.put(
      aJob({ metadata: { name, uid: `uid-Job-${name}`, ...owner('ZipJob', name) }, status: COMPLETE }),
    );
    pods.put(aPod(`${name}-p`, { metadata: owner('Job', name), status: { phase: podPhase } }));
  }
  function ended(name: string, secondsAgo: number, phase: 'Succeeded' | 'Failed' = 'Succeeded'): void {
    add(name, { ...finishedAs(phase), finishedAt: ago(secondsAgo) });
  }
  function left(): readonly string[] {
    return jobs.all().map(({ metadata }) => metadata.name);
  }
  return { room, zipJobs, jobs, clock, add, ended, left };
}

for (const resource of ['count/jobs.batch', 'count/pods'])
  describe(`room in a quota on ${resource}`, () => {
    it('deletes the finished Jobs that expire first, and no ZipJob (X38)', async () => {
      const { room, ended, left, zipJobs } = setUp();
      ended('young', 10);
      ended('failed', 90, 'Failed');
      ended('old', 60);
      expect(room.look(NAMESPACE, refusedBy(resource)).isFreeable).to.equal(true);
      await room.free(NAMESPACE, refusedBy(resource));
      // Those of failed jobs are kept for longer.
      expect(left()).to.deep.equal(['young', 'failed']);
      expect(zipJobs.all()).to.have.length(3);
    });

    it('never deletes the Job of a job that runs, or whose pod has not exited (X38)', async () => {
      const { room, add, left } = setUp();
      add('running', running('running-p'));
      add('exiting', { ...finishedAs('Succeeded'), job: { name: 'exiting', uid: 'u', podUid: 'p' } });
      expect(room.look(NAMESPACE, refusedBy(resource))).to.include({
        isFreeable: false,
        freeableAt: undefined,
      });
      await room.free(NAMESPACE, refusedBy(resource));
      expect(left()).to.have.length(2);
    });

    it('frees as much as is missing, and a tenth of a large quota (X38)', async () => {
      const { room, ended, left } = setUp();
      for (let n = 0; n < 20; n += 1) ended(`zip-${n}`, 100 - n);
      await room.free(NAMESPACE, refusedBy(resource, { used: '22', hard: '20', requested: '1' }));
      expect(left()).to.have.length(20 - 3 - 2);
      expect(left()[0]).to.equal('zip-5');
    });
  });

describe('room in a quota', () => {
  it('waits until the quota is counted again before it deletes more (X38)', async () => {
    const { room, ended, left, clock } = setUp();
    for (const name of ['a', 'b', 'c']) ended(name, 60);
    await room.free(NAMESPACE, refusedBy('count/jobs.batch'));
    await room.free(NAMESPACE, refusedBy('count/jobs.batch'));
    expect(left()).to.have.length(2);
    await clock.advance(5_000);
    await room.free(NAMESPACE, refusedBy('count/jobs.batch'));
    expect(left()).to.have.length(1);
  });

  it('deletes nothing where that cannot help (X38)', async () => {
    const { room, ended, left } = setUp();
    ended('a', 60);
    const useless: readonly QuotaRefusal[] = [
      refusedBy('requests.cpu', { requested: '500m', used: '2', hard: '2' }),
      refusedBy('pods'),
      refusedBy('count/jobs.batch', { hard: '0', used: '0' }),
      {
        name: 'all',
        exceeded: [...refusedBy('count/pods').exceeded, ...refusedBy('limits.memory').exceeded],
      },
    ];
    for (const refusal of useless) {
      const wait = room.look(NAMESPACE, refusal);
      expect(wait.isFreeable, wait.message).to.equal(false);
      expect(wait.message).to.contain(refusal.name).and.to.contain('ask its administrator');
      await room.free(NAMESPACE, refusal);
    }
    expect(left()).to.deep.equal(['a']);
  });

  it('frees a quota on pods from those that a finished job left running (X38)', async () => {
    const { room, add, left } = setUp();
    add('sidecar', finishedAs('Succeeded'), 'Running');
    await room.free(NAMESPACE, refusedBy('pods'));
    expect(left()).to.deep.equal([]);
  });

  it('keeps the Jobs of other projects, and one that a policy protects (X38)', async () => {
    const { room, ended, left, jobs } = setUp();
    ended('a', 60);
    await room.free('other', refusedBy('count/jobs.batch'));
    jobs.fail(new KubeError('no', { code: 'Forbidden' }));
    await room.free(NAMESPACE, refusedBy('count/jobs.batch'));
    expect(left()).to.deep.equal(['a']);
  });

  it('remembers when there was last a Job to delete (X38)', async () => {
    const { room, ended, clock } = setUp();
    ended('a', 60);
    const refusal = refusedBy('count/jobs.batch');
    const at = clock.date();
    expect(room.look(NAMESPACE, refusal).freeableAt).to.deep.equal(at);
    await room.free(NAMESPACE, refusal);
    await clock.advance(9_000);
    expect(room.look(NAMESPACE, refusal))
      .to.include({ isFreeable: false })
      .and.to.deep.include({ freeableAt: at });
  });
});
