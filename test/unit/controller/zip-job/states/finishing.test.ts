/** Recovery completes the upload of an attempt that committed, unless the job must not have an archive any more. */
import { expect } from 'chai';
import type { Decision } from '#controller/zip-job/observation.ts';
import type { ObjectMeta } from '#crds/object-meta.ts';
import type { Attempt, UploadState, ZipJobSpec, ZipJobStatus } from '#crds/zip-job.ts';
import type { RecoveryTask } from '#crds/zipper-task.ts';
import { judge, kinds, withStatus } from '#test/support/builders/judge.ts';
import { ago, aJob, aPod, aZipBucket, NAME } from '#test/support/builders/objects.ts';
import { ended } from '#test/support/builders/pod-statuses.ts';
import { anUpload, recoveringStatus, running } from '#test/support/builders/zip-job-statuses.ts';
import { taskOf } from '#test/support/worlds/job-world/world-zipper.ts';

const COMMITTING: UploadState = {
  ...anUpload('committing'),
  parts: 3,
  partsDigest: 'd'.repeat(64),
  archive: { bytes: 77, entries: 3 },
};
const FINISH = { parts: 3, partsDigest: 'd'.repeat(64), onConflict: 'replace' };

function createdTask({ actions }: Decision): RecoveryTask | undefined {
  const action = actions.find((one) => one.kind === 'createJob');
  return action?.kind === 'createJob' ? (taskOf(action.job) as unknown as RecoveryTask) : undefined;
}

function finishIn(decision: Decision): unknown {
  const task = createdTask(decision);
  return task && 'finish' in task ? task.finish : undefined;
}

function seenWith(
  more: ZipJobStatus = {},
  spec: Partial<ZipJobSpec> = {},
  metadata: Partial<ObjectMeta> = {},
) {
  const zipJob = withStatus(recoveringStatus(COMMITTING, more), spec, metadata);
  return { zipJob, job: aJob(), bucket: aZipBucket() };
}

function published(bytes = 77) {
  const recovered = { outcome: 'published', bytes, etag: 'tag' } as const;
  const message = { contractVersion: 1, mode: 'recover', recovered } as const;
  return {
    job: aJob({ metadata: { name: `${NAME}-recover-1`, uid: 'uid-recover' } }),
    pods: [aPod('s1', { status: ended({ exitCode: 0, message }) })],
  };
}

function failedRecovery(more: { readonly completeSent?: boolean }) {
  const failure = { code: 'StoreUnavailable', message: 'no response', retriable: true };
  const message = { contractVersion: 1, mode: 'recover', failure, ...more } as const;
  return aPod('s1', { status: ended({ exitCode: 30, message }) });
}

const RECOVERY_METADATA = { name: `${NAME}-recover-1`, uid: 'uid-recover', creationTimestamp: ago(200) };
const FAILED_JOB = { conditions: [{ type: 'Failed', status: 'True', reason: 'BackoffLimitExceeded' }] };
const LOST: Attempt = {
  n: 1,
  podUid: 'uid-p1',
  finishedAt: ago(210),
  class: 'transient',
  upload: { ...anUpload('committing'), parts: 3 },
};

describe('decide for a lost attempt whose parts are recorded', () => {
  it('lets recovery complete its upload (F25) (H8)', () => {
    expect(finishIn(judge(seenWith()))).to.deep.equal(FINISH);
  });

  it('does not repeat what it recorded in the record of the attempt (F28)', () => {
    const pods = [aPod('p1', { status: ended({ exitCode: 137 }) })];
    const zipJob = withStatus(running('p1', { upload: COMMITTING }));
    const { status } = judge({ zipJob, job: aJob(), pods, bucket: aZipBucket() });
    expect(status?.attempts?.[0]?.upload).to.deep.equal({ ...anUpload('committing'), parts: 3 });
  });

  for (const [what, more, spec, metadata] of [
    ['was cancelled', { phase: 'Finalizing', reason: 'Cancelled' }, { cancel: true }, {}],
    ['is being deleted', { phase: 'Finalizing', reason: 'Deleted' }, {}, { deletionTimestamp: ago(1) }],
    ['exceeded its deadline', { phase: 'Finalizing', reason: 'DeadlineExceeded' }, {}, {}],
    ['exceeds its deadline while it is recovered', {}, { activeDeadlineSeconds: 1 }, {}],
  ] as const)
    it(`lets recovery abort it if the job ${what} (F25)`, () => {
      const seen = seenWith(more, spec, metadata);
      const job = aJob({ metadata: { creationTimestamp: ago(60) } });
      const decision = judge({ ...seen, job });
      expect(createdTask(decision)).to.include({ uploadState: 'committing' });
      expect(finishIn(decision)).to.equal(undefined);
    });

  it('lets recovery complete it if its Job was deleted (F25)', () => {
    const { job: _job, ...seen } = seenWith({ phase: 'Finalizing', reason: 'JobDeleted' });
    expect(finishIn(judge(seen))).to.deep.equal(FINISH);
  });

  for (const [what, change] of [
    ['the last one of several', { class: 'transient' }],
    ['one that failed for good', { class: 'permanent', reason: 'SourceNotFound', exitCode: 10 }],
    ['the second one out of memory', { class: 'oom' }],
  ] as const satisfies readonly (readonly [string, Partial<Attempt>])[])
    it(`accepts the archive of an attempt that is ${what} (F25)`, () => {
      const attempts: readonly Attempt[] = [1, 2, 3, 4].map((n) => ({
        n,
        podUid: `uid-p${n === 4 ? 1 : n + 1}`,
        finishedAt: ago(2),
        ...change,
      }));
      const seen = seenWith({ attempts, attemptsTotal: 4 });
      expect(finishIn(judge(seen))).to.deep.equal(FINISH);
      const { status } = judge({ ...seen, recovery: published() });
      expect(status).to.include({ phase: 'Finalizing', reason: 'VerifiedInStore' });
      const end = judge({ ...seen, zipJob: withStatus({ ...seen.zipJob.status, ...status }) });
      expect(end.status).to.include({ phase: 'Succeeded', reason: 'VerifiedInStore' });
      expect(kinds(end)).to.not.include('createJob');
    });

  it('accepts it in phase Finalizing too (F25)', () => {
    const seen = seenWith({ phase: 'Finalizing', reason: 'BackoffLimitExceeded' });
    const { status } = judge({ ...seen, recovery: published() });
    expect(status).to.include({ phase: 'Succeeded', reason: 'VerifiedInStore' });
  });

  for (const [what, pods, completeSentAt] of [
    ['was killed', [aPod('s1', { status: ended({ exitCode: 137 }) })], ago(0)],
    ['says that it sent Complete', [failedRecovery({ completeSent: true })], ago(0)],
    ['reports that it did not', [failedRecovery({})], undefined],
  ] as const)
    it(`remembers whether a recovery pod may have sent Complete, when it ${what} (F47)`, () => {
      const job = aJob({ metadata: RECOVERY_METADATA, status: FAILED_JOB });
      const seen = { ...seenWith({ attempts: [LOST] }), recovery: { job, pods } };
      const decision = judge(seen);
      expect(kinds(decision)).to.deep.equal(['deleteJob']);
      const [attempt = LOST] = decision.status?.attempts ?? [];
      expect(attempt.completeSentAt).to.equal(completeSentAt);
    });

  it('records the end of a recovery Job once, however long its deletion takes (F47)', () => {
    const recorded = { ...LOST, completeSentAt: ago(100) };
    const pods = [aPod('s1', { status: ended({ exitCode: 137 }) })];
    const metadata = { ...RECOVERY_METADATA, deletionTimestamp: ago(100) };
    const seen = seenWith({ attempts: [recorded] });
    const decision = judge({
      ...seen,
      recovery: { job: aJob({ metadata, status: FAILED_JOB }), pods },
    });
    expect(decision.status?.attempts?.[0] ?? recorded).to.deep.equal(recorded);
    // That of an earlier Job says nothing about this one.
    const earlier = { ...LOST, completeSentAt: ago(205) };
    const again = judge({
      ...seenWith({ attempts: [earlier] }),
      recovery: { job: aJob({ metadata: RECOVERY_METADATA, status: FAILED_JOB }), pods },
    });
    expect(again.status?.attempts?.[0]?.completeSentAt).to.equal(ago(0));
  });
});
