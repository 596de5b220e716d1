/** A quota on numbers of objects that finished Jobs fill, for each kind of Job and for its pod. */
import { expect } from 'chai';
import { decideBucket } from '#controller/zip-bucket/decide.ts';
import { testJob } from '#controller/zip-bucket/test-manifest.ts';
import type { QuotaWait } from '#controller/zip-job/lifetime/quota-room.ts';
import { ANNOTATIONS, FINALIZER } from '#crds/api-group.ts';
import { findCondition } from '#crds/conditions.ts';
import { aConfig } from '#test/support/builders/config.ts';
import { judge, withStatus } from '#test/support/builders/judge.ts';
import { ago, aJob, aZipBucket, NAME, NOW } from '#test/support/builders/objects.ts';
import { aCondition, anUpload, recoveringStatus, starting } from '#test/support/builders/zip-job-statuses.ts';

const config = aConfig();

const REFUSAL = {
  name: 'objects',
  exceeded: [{ resource: 'count/jobs.batch', requested: '1', used: '3', hard: '3' }],
} as const;
const MESSAGE =
  'ResourceQuota "objects" has no room: count/jobs.batch: 1 requested, 3 used, 3 allowed. Do this';
const FREE = { kind: 'freeQuota', refusal: REFUSAL };

/** @param freeable seconds ago, if finished Jobs could be deleted at some time */
function waitSince(freeable: number | undefined): QuotaWait {
  return {
    refusal: REFUSAL,
    isFreeable: freeable === 0,
    freeableAt: freeable === undefined ? undefined : new Date(ago(freeable)),
    message: MESSAGE,
  };
}

const why = { reason: 'QuotaExceeded', message: MESSAGE } as const;

function refusal(target: 'archive' | 'recover') {
  const retryAt = new Date(NOW.getTime() + 1000);
  return { ...why, target, since: new Date(ago(3600)), count: 9, mayExist: false, retryAt };
}

/** What the status says about the wait, and what is done. */
interface Seen {
  readonly isOver: boolean;
  readonly said: string | undefined;
  readonly actions: readonly object[];
}

function archive(quota: QuotaWait, at: 'Job' | 'pod'): Seen {
  const held = { ...aCondition('Waiting', ['True', 'QuotaExceeded']), lastTransitionTime: ago(3600) };
  const zipJob =
    at === 'Job'
      ? withStatus({ phase: 'Queued', acceptedAt: ago(3600), conditions: [held] })
      : withStatus(starting());
  const made = at === 'pod' && {
    job: aJob({ metadata: { creationTimestamp: ago(3600) } }),
    podRefusal: why,
  };
  const { status, actions } = judge({
    zipJob,
    quota,
    ...(at === 'Job' && { refusal: refusal('archive') }),
    ...made,
  });
  return { isOver: status?.reason === 'StartDeadlineExceeded', said: status?.message, actions };
}

function recovery(quota: QuotaWait, at: 'Job' | 'pod'): Seen {
  const zipJob = withStatus(
    recoveringStatus(anUpload('committing'), {
      attempts: [{ n: 1, podUid: 'uid-p1', finishedAt: ago(90_000), class: 'transient' }],
    }),
  );
  const made = {
    job: aJob({ metadata: { name: `${NAME}-recover-1`, uid: 'uid-r', creationTimestamp: ago(86_400) } }),
    pods: [],
  };
  const { status, actions } = judge({
    zipJob,
    quota,
    job: aJob({ metadata: { creationTimestamp: ago(90_100) } }),
    ...(at === 'pod' ? { recovery: made, podRefusal: why } : { refusal: refusal('recover') }),
  });
  const isOver = status?.reason === 'OutcomeUnknown';
  const condition = findCondition(status?.conditions, 'Recovered');
  return { isOver, said: isOver ? status.message : condition?.message, actions };
}

function bucketTest(quota: QuotaWait): Seen {
  const bucket = aZipBucket();
  const metadata = {
    ...bucket.metadata,
    uid: 'uid-bucket',
    generation: 1,
    finalizers: [FINALIZER],
    annotations: { [ANNOTATIONS.testBucket]: 'a' },
  };
  const tested = { ...bucket, metadata, status: { activeJobs: 0 } };
  const job = testJob(tested, 'a', config);
  const created = { ...job, metadata: { ...job.metadata, uid: 'uid-test', creationTimestamp: ago(3600) } };
  const { status, actions } = decideBucket(
    {
      bucket: tested,
      unfinishedJobs: 0,
      isHeld: false,
      zipJobs: [],
      project: undefined,
      isProjectLeaving: false,
      tests: [{ job: created, pods: [], podRefusal: why, quota }],
      isNamespaceTerminating: false,
    },
    NOW,
    config,
  );
  const ready = findCondition(status?.conditions, 'Ready');
  return { isOver: ready?.status === 'False', said: ready?.message, actions };
}

const KINDS: Readonly<Record<string, (quota: QuotaWait) => Seen>> = {
  'an archive Job': (quota) => archive(quota, 'Job'),
  'the pod of an archive Job': (quota) => archive(quota, 'pod'),
  'a recovery Job': (quota) => recovery(quota, 'Job'),
  'the pod of a recovery Job': (quota) => recovery(quota, 'pod'),
  'the pod of a bucket test': bucketTest,
};

describe('a quota without room', () => {
  for (const [what, decide] of Object.entries(KINDS)) {
    it(`for ${what}: deletes finished Jobs and waits without a deadline while there are any (X38)`, () => {
      const seen = decide(waitSince(0));
      expect(seen.isOver).to.equal(false);
      expect(seen.actions).to.deep.include(FREE);
    });

    it(`for ${what}: counts the deadline from when there were none left (X38)`, () => {
      const seen = decide(waitSince(30));
      expect(seen.isOver).to.equal(false);
      expect(seen.actions).not.to.deep.include(FREE);
    });

    it(`for ${what}: names the quota, its numbers and what to do when it gives up (X38)`, () => {
      const seen = decide(waitSince(undefined));
      expect(seen.isOver).to.equal(true);
      expect(seen.said).to.contain(MESSAGE);
    });
  }

  it('says in the status of a waiting job which quota it is (X38)', () => {
    expect(archive(waitSince(0), 'Job').said).to.equal(MESSAGE);
    expect(archive(waitSince(0), 'pod').said).to.equal(MESSAGE);
    expect(recovery(waitSince(0), 'pod').said).to.contain(MESSAGE);
  });

  it('does not delay the end of a job that its user deletes (X38)', () => {
    const zipJob = withStatus(recoveringStatus(anUpload('committing')), {}, { deletionTimestamp: ago(290) });
    const { actions } = judge({ zipJob, quota: waitSince(0), refusal: refusal('recover') });
    expect(actions.map(({ kind }) => kind)).to.include('removeFinalizer');
  });
});
