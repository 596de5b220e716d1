import { expect } from 'chai';
import { findCondition } from '#crds/conditions.ts';
import { type ApiStatus, isFinished, type ZipJob, type ZipJobStatus } from '#crds/zip-job.ts';
import type { WorldStore } from './world-store.ts';

const RANKS: Readonly<Record<ApiStatus, number>> = { none: 0, processing: 1, succeeded: 2, failed: 2 };
const rankOf = ({ apiStatus = 'none' }: ZipJobStatus): number => RANKS[apiStatus];

/** What the end of a job says of its archive cannot be promised when nobody could ask the store. */
const isUncertain = ({ reason, attempts }: ZipJobStatus, { answered }: WorldStore): boolean =>
  reason === 'OutcomeUnknown' && !answered.has(attempts?.at(-1)?.podUid ?? '');

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

const expectOneInCharge = (before: ZipJobStatus, after: ZipJobStatus, store: WorldStore): void => {
  const next = after.job?.podUid;
  if (next === undefined || next === before.job?.podUid) return;
  expect(before.job?.podUid, 'no pod takes the charge from another').to.equal(undefined);
  expect(findCondition(before.conditions, 'Settled')?.reason, 'settled before the next pod').to.not.equal(
    'Settling',
  );
  expect(store.armed, 'nothing can be published when the next pod comes in charge').to.deep.equal([]);
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
  expect(findCondition(status.conditions, 'Settled')?.status, 'settled before the end').to.equal('True');
  expect(status).to.include.keys('finishedAt', 'webhook', 'duration');
  if (status.phase === 'Succeeded') {
    expect(store.published, 'what succeeded is published').to.deep.equal([status.result?.etag]);
    return;
  }
  if (isUncertain(status, store)) return;
  expect(store.armed, 'what failed cannot be published any more').to.deep.equal([]);
  expect(store.published, 'what failed was not published').to.deep.equal([]);
};

/** The promises of the state machine, looked at after every write of the controller. */
export const expectPromises = (before: ZipJob, after: ZipJob, store: WorldStore): void => {
  const [was, is] = [before.status ?? {}, after.status ?? {}];
  if (isFinished(before)) expectFrozen(was, is);
  else if (isFinished(after)) expectEnd(after, store);
  expect(rankOf(is), `${was.apiStatus} -> ${is.apiStatus}`).to.be.at.least(rankOf(was));
  if (was.startedAt !== undefined) expect(is.startedAt).to.equal(was.startedAt);
  expectOneInCharge(was, is, store);
  expectAttempts(was, is);
  expect(store.published.length, 'published once at most').to.be.at.most(1);
};
