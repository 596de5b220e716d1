import { isDeepStrictEqual } from 'node:util';
import { expect } from 'chai';
import { isOwnedBy, isPodOf } from '#controller/cluster/ownership.ts';
import { isEnded, isLost } from '#controller/cluster/pod-state.ts';
import { FINALIZER } from '#crds/api-group.ts';
import { findCondition } from '#crds/conditions.ts';
import { type ApiStatus, type Attempt, isFinished, type ZipJob, type ZipJobStatus } from '#crds/zip-job.ts';
import type { Job, Pod } from '#runtime/kube/resources.ts';
import type { WorldStore } from './world-store.ts';

/** The facts that the invariants check. */
interface Facts {
  readonly store: WorldStore;
  readonly jobs: { all(): readonly Job[] };
  readonly pods: { all(): readonly Pod[]; readonly lagging: boolean };
  readonly isJobDeletedByHand: boolean;
  readonly now: Date;
}

const RANKS: Readonly<Record<ApiStatus, number>> = { none: 0, processing: 1, succeeded: 2, failed: 2 };

function rankOf({ apiStatus = 'none' }: ZipJobStatus): number {
  return RANKS[apiStatus];
}

/** The pod whose archive an attempt may have published. */
function ownerOf(attempt: Attempt | undefined): string | undefined {
  return attempt?.upload?.owner ?? attempt?.podUid;
}

/** True if the outcome is unknown because the store did not report it. */
function isUncertain({ reason, attempts }: ZipJobStatus, { responded }: WorldStore): boolean {
  return reason === 'OutcomeUnknown' && !responded.has(ownerOf(attempts?.at(-1)) ?? '');
}

function expectUnchanged(before: ZipJobStatus, after: ZipJobStatus): void {
  function end({ phase, reason, message, finishedAt, result, apiStatus }: ZipJobStatus): unknown {
    return {
      phase,
      reason,
      message,
      finishedAt,
      result,
      apiStatus,
    };
  }
  expect(end(after), 'a final state does not change').to.deep.equal(end(before));
}

function expectOneActive(before: ZipJobStatus, after: ZipJobStatus, store: WorldStore): void {
  const next = after.job?.podUid;
  if (next === undefined || next === before.job?.podUid) return;
  expect(before.job?.podUid, 'no pod takes over from an active one').to.equal(undefined);
  expect(findCondition(before.conditions, 'Recovered')?.reason, 'recovered before the next pod').to.not.equal(
    'Recovering',
  );
  expect(store.armed, 'no publish is possible when the next pod becomes active').to.deep.equal([]);
  expect(after.attempts?.map(({ podUid }) => podUid) ?? [], 'no pod becomes active twice').to.not.include(
    next,
  );
}

function expectAttempts(before: ZipJobStatus, after: ZipJobStatus): void {
  const numbers = after.attempts?.map(({ n }) => n) ?? [];
  expect(numbers, 'attempts are numbered in order').to.deep.equal(
    numbers.toSorted((one, other) => one - other),
  );
  expect(new Set(after.attempts?.map(({ podUid }) => podUid)).size, 'one entry per pod').to.equal(
    numbers.length,
  );
  expect(after.attemptsTotal ?? 0).to.be.at.least(before.attemptsTotal ?? 0);
}

function expectEnd({ status = {} }: ZipJob, store: WorldStore): void {
  expect(findCondition(status.conditions, 'Recovered')?.status, 'recovered before the end').to.equal('True');
  expect(status).to.include.keys('finishedAt', 'webhook', 'duration');
  if (status.reason === 'Cancelled' || status.reason === 'Deleted')
    expect(status.phase).to.equal('Cancelled');
  if (status.phase === 'Succeeded') {
    expect(store.published, 'the archive of a succeeded job is published').to.deep.equal([
      status.result?.etag,
    ]);
    return;
  }
  if (isUncertain(status, store)) return;
  expect(store.armed, 'the archive of a failed job can no longer be published').to.deep.equal([]);
  expect(store.published, 'the archive of a failed job was not published').to.deep.equal([]);
}

/** A job does not wait for another pod after a permanent failure. */
function expectNoWaitAfterFailure({ attempts, reason }: ZipJobStatus): void {
  const isPermanent = attempts?.at(-1)?.class === 'permanent';
  expect(isPermanent && reason === 'StartDeadlineExceeded', `ended by ${reason}`).to.equal(false);
}

/** A job does not end for lack of a pod while one of its pods was never activated. */
function expectNoUnusedPod(was: ZipJobStatus, is: ZipJobStatus, { pods, jobs }: Facts): void {
  if (is.reason !== 'StartDeadlineExceeded' || was.reason === is.reason || pods.lagging) return;
  const known = new Set([
    is.job?.podUid,
    was.job?.podUid,
    ...(is.attempts ?? []).map(({ podUid }) => podUid),
  ]);
  const job = jobs.all().find(({ metadata }) => metadata.uid === is.job?.uid);
  const unused = pods
    .all()
    .filter(
      (pod) =>
        job !== undefined &&
        isPodOf(pod, job.metadata) &&
        pod.metadata.deletionTimestamp === undefined &&
        !isEnded(pod) &&
        !known.has(pod.metadata.uid),
    );
  expect(
    unused.map(({ metadata }) => metadata.uid),
    'the next pod becomes active',
  ).to.deep.equal([]);
}

function isEnding({ phase }: ZipJobStatus): boolean {
  return phase === 'Finalizing' || phase === 'Succeeded' || phase === 'Failed' || phase === 'Cancelled';
}

/** The zipper's result has priority, then a request to end the job; nothing else changes such a job. */
function expectEndOnRequest({ spec, metadata, status: was = {} }: ZipJob, is: ZipJobStatus): void {
  if (isEnding(was) || isDeepStrictEqual(was, is)) return;
  if (was.result) {
    if (isEnding(is)) expect(is.reason, 'a reported result is accepted').to.equal('Uploaded');
    return;
  }
  if (spec.cancel !== true && metadata.deletionTimestamp === undefined) return;
  expect(isEnding(is), 'a cancelled job is finalized').to.equal(true);
  expect(is.reason, 'with the reason of the request').to.be.oneOf(['Cancelled', 'Deleted']);
}

function expectActivation(before: ZipJob, { metadata, status: is = {} }: ZipJob, { pods }: Facts): void {
  const uid = is.job?.podUid;
  if (uid === undefined) return;
  const isRecovering = findCondition(is.conditions, 'Recovered')?.reason === 'Recovering';
  const isOver = isEnding(is) && is.reason !== 'Uploaded';
  expect(isOver || isRecovering, 'no pod is active during recovery').to.equal(false);
  if (uid !== before.status?.job?.podUid) expectActivatedPod(uid, metadata, pods);
}

function expectActivatedPod(uid: string, metadata: ZipJob['metadata'], pods: Facts['pods']): void {
  expect(metadata.finalizers, 'a deletion waits for the active pod').to.include(FINALIZER);
  const going = pods.all().filter((pod) => pod.metadata.deletionTimestamp !== undefined);
  if (pods.lagging) return;
  expect(
    going.map((pod) => pod.metadata.uid),
    'a stopping pod does not become active',
  ).not.to.include(uid);
}

function expectRecovered({ conditions, attempts, reason }: ZipJobStatus, { uploads }: WorldStore): void {
  const owner = ownerOf(attempts?.at(-1));
  const isUnknown = attempts?.some(
    ({ upload, abortFailures = 0 }) => upload?.state === 'committing' && abortFailures > 0,
  );
  if (isUnknown) expect(reason, 'an unknown outcome is reported').to.equal('OutcomeUnknown');
  if (findCondition(conditions, 'Recovered')?.reason === 'NothingToRecover')
    expect(
      [...uploads.values()].map(({ attempt }) => attempt),
      'no upload to recover',
    ).not.to.include(owner);
}

function expectOwnJob(before: ZipJob, after: ZipJob, { jobs }: Facts): void {
  const uid = after.status?.job?.uid;
  if (uid === undefined || uid === before.status?.job?.uid) return;
  const job = jobs.all().find(({ metadata }) => metadata.uid === uid);
  if (job) expect(isOwnedBy(job, after), 'the Job belongs to this ZipJob').to.equal(true);
}

/** The pod of a job that a result finished keeps its slot until it is gone, and then its attempt is recorded. */
function expectExit(before: ZipJob, { status: is = {} }: ZipJob, { pods, now }: Facts): void {
  const uid = before.status?.job?.podUid;
  if (is.reason !== 'Uploaded' || uid === undefined || is.job?.podUid === uid) return;
  expect(is.attempts?.at(-1)?.podUid, 'the attempt of a pod that is gone is recorded').to.equal(uid);
  function isRunning(pod: Pod): boolean {
    return pod.metadata.uid === uid && !isEnded(pod) && !isLost(pod, now);
  }
  expect(pods.all().some(isRunning), 'a pod that runs keeps its slot').to.equal(false);
}

/** An object that is missing in a cache may still exist. */
function expectEvidence(before: ZipJob, after: ZipJob, facts: Facts): void {
  const { reason, attempts } = after.status ?? {};
  if (reason === 'JobDeleted') expect(facts.isJobDeletedByHand, 'the Job was deleted').to.equal(true);
  const last = attempts?.at(-1);
  if (last?.reason !== 'PodGone' || last.n === before.status?.attempts?.at(-1)?.n) return;
  const uids = facts.pods.all().map(({ metadata }) => metadata.uid);
  expect(uids, 'the pod was deleted before it reported a result').not.to.include(last.podUid);
}

/** Checked when an archive Job is created: the current ZipJob, and the number of its earlier Jobs. */
export function expectJobAllowed(zipJob: ZipJob | undefined, created: number): void {
  expect(zipJob, 'the Job has a ZipJob').not.to.equal(undefined);
  if (!zipJob) return;
  expect(isFinished(zipJob), 'no Job for a finished ZipJob').to.equal(false);
  expect(zipJob.metadata.deletionTimestamp, 'no Job for a deleted ZipJob').to.equal(undefined);
  expect(
    [zipJob.spec.cancel ?? false, zipJob.spec.suspend ?? false],
    'no Job for a cancelled or suspended ZipJob',
  ).to.deep.equal([false, false]);
  expect(created, 'one Job per ZipJob').to.equal(0);
}

/** The invariants of the state machine, checked after every write of the controller. */
export function expectInvariants(before: ZipJob, after: ZipJob, facts: Facts): void {
  const { store } = facts;
  const [was, is] = [before.status ?? {}, after.status ?? {}];
  if (isFinished(before)) expectUnchanged(was, is);
  else if (isFinished(after)) expectEnd(after, store);
  expect(rankOf(is), `${was.apiStatus} -> ${is.apiStatus}`).to.be.at.least(rankOf(was));
  if (was.startedAt !== undefined) expect(is.startedAt).to.equal(was.startedAt);
  expectOneActive(was, is, store);
  expectAttempts(was, is);
  expectEndOnRequest(before, is);
  expectActivation(before, after, facts);
  expectRecovered(is, store);
  expectOwnJob(before, after, facts);
  expectEvidence(before, after, facts);
  expectExit(before, after, facts);
  expectNoWaitAfterFailure(is);
  expectNoUnusedPod(was, is, facts);
  expect(store.published.length, 'published at most once').to.be.at.most(1);
}
