import { isDeepStrictEqual } from 'node:util';
import { expect } from 'chai';
import { isOwnedBy } from '#controller/kube-state/job-state.ts';
import { FINALIZER } from '#crds/api-group.ts';
import { findCondition } from '#crds/conditions.ts';
import { type ApiStatus, isFinished, type ZipJob, type ZipJobStatus } from '#crds/zip-job.ts';
import type { Job, Pod } from '#runtime/kube/resources.ts';
import type { WorldStore } from './world-store.ts';

/** What the promises are held against. */
interface Facts {
  readonly store: WorldStore;
  readonly jobs: { all(): readonly Job[] };
  readonly pods: { all(): readonly Pod[]; readonly lagging: boolean };
  readonly isJobDeletedByHand: boolean;
}

const RANKS: Readonly<Record<ApiStatus, number>> = { none: 0, processing: 1, succeeded: 2, failed: 2 };
const rankOf = ({ apiStatus = 'none' }: ZipJobStatus): number => RANKS[apiStatus];

/** What the end of a job says of its archive cannot be promised when nobody could ask the store. */
const isUncertain = ({ reason, attempts }: ZipJobStatus, { responded }: WorldStore): boolean =>
  reason === 'OutcomeUnknown' && !responded.has(attempts?.at(-1)?.podUid ?? '');

const expectFrozen = (before: ZipJobStatus, after: ZipJobStatus): void => {
  const end = ({ phase, reason, message, finishedAt, result, apiStatus }: ZipJobStatus): unknown => ({
    phase,
    reason,
    message,
    finishedAt,
    result,
    apiStatus,
  });
  expect(end(after), 'an end is final').to.deep.equal(end(before));
};

const expectOneActive = (before: ZipJobStatus, after: ZipJobStatus, store: WorldStore): void => {
  const next = after.job?.podUid;
  if (next === undefined || next === before.job?.podUid) return;
  expect(before.job?.podUid, 'no pod takes the charge from another').to.equal(undefined);
  expect(findCondition(before.conditions, 'Recovered')?.reason, 'recovered before the next pod').to.not.equal(
    'Recovering',
  );
  expect(store.armed, 'nothing can be published when the next pod comes active').to.deep.equal([]);
  expect(after.attempts?.map(({ podUid }) => podUid) ?? [], 'no pod twice').to.not.include(next);
};

const expectAttempts = (before: ZipJobStatus, after: ZipJobStatus): void => {
  const numbers = after.attempts?.map(({ n }) => n) ?? [];
  expect(numbers, 'attempts are counted up').to.deep.equal(numbers.toSorted((one, other) => one - other));
  expect(new Set(after.attempts?.map(({ podUid }) => podUid)).size, 'one line a pod').to.equal(
    numbers.length,
  );
  expect(after.attemptsTotal ?? 0).to.be.at.least(before.attemptsTotal ?? 0);
};

const expectEnd = ({ status = {} }: ZipJob, store: WorldStore): void => {
  expect(findCondition(status.conditions, 'Recovered')?.status, 'recovered before the end').to.equal('True');
  expect(status).to.include.keys('finishedAt', 'webhook', 'duration');
  if (status.reason === 'Cancelled' || status.reason === 'Deleted')
    expect(status.phase).to.equal('Cancelled');
  if (status.phase === 'Succeeded') {
    expect(store.published, 'what succeeded is published').to.deep.equal([status.result?.etag]);
    return;
  }
  if (isUncertain(status, store)) return;
  expect(store.armed, 'what failed cannot be published any more').to.deep.equal([]);
  expect(store.published, 'what failed was not published').to.deep.equal([]);
};

/** Nothing is waited for after a failure for good. */
const expectNoWait = ({ attempts, reason }: ZipJobStatus): void => {
  const isForGood = attempts?.at(-1)?.class === 'permanent';
  expect(isForGood && reason === 'StartDeadlineExceeded', `ended by ${reason}`).to.equal(false);
};

const isEnding = ({ phase }: ZipJobStatus): boolean =>
  phase === 'Finalizing' || phase === 'Succeeded' || phase === 'Failed' || phase === 'Cancelled';

/** The zipper's own word comes first, then whoever asked for the end; nothing else moves such a job. */
const expectObedience = ({ spec, metadata, status: was = {} }: ZipJob, is: ZipJobStatus): void => {
  if (isEnding(was) || isDeepStrictEqual(was, is)) return;
  if (was.result) {
    if (isEnding(is)) expect(is.reason, 'a result that was told is believed').to.equal('Uploaded');
    return;
  }
  if (spec.cancel !== true && metadata.deletionTimestamp === undefined) return;
  expect(isEnding(is), 'a cancelled job goes to its end').to.equal(true);
  expect(is.reason, 'and says why').to.be.oneOf(['Cancelled', 'Deleted']);
};

const expectActivation = (before: ZipJob, { metadata, status: is = {} }: ZipJob, { pods }: Facts): void => {
  const uid = is.job?.podUid;
  if (uid === undefined) return;
  const isRecovering = findCondition(is.conditions, 'Recovered')?.reason === 'Recovering';
  expect(isEnding(is) || isRecovering, 'nobody is active of what is being settled').to.equal(false);
  if (uid === before.status?.job?.podUid) return;
  expect(metadata.finalizers, 'a deletion waits for whoever is active').to.include(FINALIZER);
  const going = pods.all().filter((pod) => pod.metadata.deletionTimestamp !== undefined);
  if (pods.lagging) return;
  expect(
    going.map((pod) => pod.metadata.uid),
    'who is told to stop is not put active',
  ).not.to.include(uid);
};

const expectRecovered = ({ conditions, attempts, reason }: ZipJobStatus, { uploads }: WorldStore): void => {
  const podUid = attempts?.at(-1)?.podUid;
  const isUnknown = attempts?.some(
    ({ upload, abortFailures = 0 }) => upload?.state === 'committing' && abortFailures > 0,
  );
  if (isUnknown) expect(reason, 'what nobody could ask about is told').to.equal('OutcomeUnknown');
  if (findCondition(conditions, 'Recovered')?.reason === 'NothingToRecover')
    expect([...uploads.values()], 'nothing to settle').not.to.include(podUid);
};

const expectOwnJob = (before: ZipJob, after: ZipJob, { jobs }: Facts): void => {
  const uid = after.status?.job?.uid;
  if (uid === undefined || uid === before.status?.job?.uid) return;
  const job = jobs.all().find(({ metadata }) => metadata.uid === uid);
  if (job) expect(isOwnedBy(job, after), 'the Job is of this ZipJob').to.equal(true);
};

/** What a cache does not show has not gone for that. */
const expectEvidence = (before: ZipJob, after: ZipJob, facts: Facts): void => {
  const { reason, attempts } = after.status ?? {};
  if (reason === 'JobDeleted') expect(facts.isJobDeletedByHand, 'somebody deleted the Job').to.equal(true);
  const last = attempts?.at(-1);
  if (last?.reason !== 'PodGone' || last.n === before.status?.attempts?.at(-1)?.n) return;
  const uids = facts.pods.all().map(({ metadata }) => metadata.uid);
  expect(uids, 'the pod was deleted before it reported a result').not.to.include(last.podUid);
};

/** Looked at when a Job that archives is created: the ZipJob as it is then, and how many it had before. */
export const expectWanted = (zipJob: ZipJob | undefined, made: number): void => {
  expect(zipJob, 'a Job has a ZipJob').not.to.equal(undefined);
  if (!zipJob) return;
  expect(isFinished(zipJob), 'no Job for what is over').to.equal(false);
  expect(zipJob.metadata.deletionTimestamp, 'no Job for what is deleted').to.equal(undefined);
  expect(
    [zipJob.spec.cancel ?? false, zipJob.spec.suspend ?? false],
    'no Job for what is cancelled or held',
  ).to.deep.equal([false, false]);
  expect(made, 'one Job').to.equal(0);
};

/** The promises of the state machine, looked at after every write of the controller. */
export const expectPromises = (before: ZipJob, after: ZipJob, facts: Facts): void => {
  const { store } = facts;
  const [was, is] = [before.status ?? {}, after.status ?? {}];
  if (isFinished(before)) expectFrozen(was, is);
  else if (isFinished(after)) expectEnd(after, store);
  expect(rankOf(is), `${was.apiStatus} -> ${is.apiStatus}`).to.be.at.least(rankOf(was));
  if (was.startedAt !== undefined) expect(is.startedAt).to.equal(was.startedAt);
  expectOneActive(was, is, store);
  expectAttempts(was, is);
  expectObedience(before, is);
  expectActivation(before, after, facts);
  expectRecovered(is, store);
  expectOwnJob(before, after, facts);
  expectEvidence(before, after, facts);
  expectNoWait(is);
  expect(store.published.length, 'published once at most').to.be.at.most(1);
};
