/** A backup is taken at any time, the job continues, and the backup is restored under the same name. */
import { expect } from 'chai';
import { FINALIZER, LABELS } from '#crds/api-group.ts';
import { isFinished, type ZipJob, type ZipJobStatus } from '#crds/zip-job.ts';
import { judge, kinds } from '#test/support/builders/judge.ts';
import { ago, aZipJob, NAME } from '#test/support/builders/objects.ts';
import { anUpload, running } from '#test/support/builders/zip-job-statuses.ts';
import { expectInvariants } from '#test/support/worlds/job-world/invariants.ts';
import { JobWorld } from '#test/support/worlds/job-world/job-world.ts';
import { round, runFor, runToEnd } from '#test/support/worlds/job-world/steps.ts';

const ACCEPTED_AT = 'zipjobs.dev/accepted-at';
const ACCEPTED_UID = 'zipjobs.dev/accepted-uid';

function aWorld(zipJob: ZipJob): JobWorld {
  const world = new JobWorld(zipJob, (before, after) => {
    expectInvariants(before, after, world);
  });
  return world;
}

/** What Velero creates from a backup: the status is restored only on request. */
function restored({ metadata, status, ...job }: ZipJob, createdAgo: number, keepsStatus: boolean): ZipJob {
  const { name, namespace, labels, annotations, finalizers } = metadata;
  const kept = { name, namespace, ...(labels && { labels }), ...(annotations && { annotations }) };
  const fresh = {
    uid: 'uid-restored',
    resourceVersion: '900',
    generation: 1,
    creationTimestamp: ago(createdAgo),
  };
  return {
    ...job,
    metadata: { ...kept, ...(finalizers && { finalizers }), ...fresh },
    ...(keepsStatus && status && { status }),
  };
}

const withoutAnnotations = aZipJob({ metadata: { annotations: {} } });
/** As the API creates it. */
const ofApi = aZipJob({ metadata: { finalizers: [FINALIZER] } });

function untilSeen(world: JobWorld) {
  return world.reconcile();
}

async function untilRunning(world: JobWorld): Promise<void> {
  for (let rounds = 0; rounds < 20 && world.zipJob?.status?.phase !== 'Running'; rounds += 1)
    await round(world);
}

async function untilQueued(world: JobWorld): Promise<void> {
  world.suspend(true);
  await round(world);
  world.suspend(false);
}

const BACKUPS: Readonly<
  Record<string, readonly [job: ZipJob, createdAgo: number, reach: (world: JobWorld) => Promise<void>]>
> = {
  'of kubectl, seen': [withoutAnnotations, 0, untilSeen],
  'of kubectl, suspended': [withoutAnnotations, 0, untilQueued],
  'of kubectl, running': [withoutAnnotations, 0, untilRunning],
  'of kubectl, finished': [withoutAnnotations, 0, runToEnd],
  'of the API, new': [ofApi, -600, () => Promise.resolve()],
  'of the API, running': [ofApi, -600, untilRunning],
  'of the API, finished': [ofApi, 0, runToEnd],
};

describe('a job that was restored from a backup', () => {
  for (const [what, [job, createdAgo, reach]] of Object.entries(BACKUPS))
    for (const keepsStatus of [false, true])
      it(`does not run again: ${what}, ${keepsStatus ? 'with' : 'without'} its status (F33)`, async () => {
        const first = aWorld(job);
        await reach(first);
        const backup = first.zipJob ?? job;
        const again = aWorld(restored(backup, createdAgo, keepsStatus));
        await again.reconcile();
        await runFor(again, 30);
        const { status = {} } = again.zipJob ?? {};
        expect([again.jobsCreated, again.jobs.all(), again.store.published]).to.deep.equal([0, [], []]);
        expect(isFinished({ status }), JSON.stringify(status)).to.equal(true);
        const wasFinished = keepsStatus && isFinished(backup);
        expect(status.reason).to.equal(wasFinished ? backup.status?.reason : 'Restored');
        if (!wasFinished) expect(status.webhook).to.deep.equal({ state: 'NotConfigured' });
        expect(status.job?.podUid).to.equal(undefined);
      });

  it('is recognised by the label of Velero, even if it was backed up before the controller saw it (F33)', () => {
    const labels = { [LABELS.partOf]: 'zipjobs', 'velero.io/restore-name': 'nightly' };
    for (const annotations of [{}, { [ACCEPTED_AT]: ago(60) }])
      expect(judge({ zipJob: aZipJob({ metadata: { labels, annotations } }) }).status).to.include({
        phase: 'Failed',
        reason: 'Restored',
      });
    const own = { [ACCEPTED_UID]: 'uid-zipjob' };
    expect(kinds(judge({ zipJob: aZipJob({ metadata: { labels, annotations: own } }) }))).to.include(
      'createJob',
    );
  });

  it('ends without recovery, so that an upload in the status is not touched (F33)', () => {
    const status: ZipJobStatus = running('p1', { upload: anUpload('committing') });
    const annotations = { [ACCEPTED_UID]: 'uid-of-the-first' };
    const decision = judge({
      zipJob: aZipJob({ metadata: { annotations }, status, spec: { cancel: true } }),
    });
    expect(decision.status).to.include({ phase: 'Failed', reason: 'Restored' });
    expect(kinds(decision)).to.deep.equal([]);
  });
});

describe('the record of an accepted job', () => {
  it('is written once, with the finalizer, before a job of kubectl may start (F33)', async () => {
    const world = aWorld(withoutAnnotations);
    await world.reconcile();
    expect(world.zipJob?.metadata).to.deep.include({ finalizers: [FINALIZER] });
    expect(world.zipJob?.metadata.annotations).to.deep.equal({ [ACCEPTED_UID]: 'uid-zipjob' });
    await runToEnd(world);
    expect(world.zipJob?.status?.phase).to.equal('Succeeded');
    expect(world.zipJob?.metadata.name).to.equal(NAME);
  });

  it('costs a job of the API no write of its own: it comes with the removal of the finalizer (F33)', async () => {
    const world = aWorld(ofApi);
    await untilRunning(world);
    expect(world.zipJob?.metadata.annotations).to.deep.equal({ [ACCEPTED_AT]: ago(60) });
    await runToEnd(world);
    expect(world.zipJob?.metadata.annotations).to.deep.equal({
      [ACCEPTED_AT]: ago(60),
      [ACCEPTED_UID]: 'uid-zipjob',
    });
  });

  it('is not needed for a job of the API that waited for the controller for two days (F33)', () => {
    const old = { creationTimestamp: ago(172_800), annotations: { [ACCEPTED_AT]: ago(172_802) } };
    expect(
      kinds(judge({ zipJob: aZipJob({ metadata: { finalizers: [FINALIZER], ...old } }) })),
    ).to.deep.equal(['reserve', 'createJob']);
  });
});
