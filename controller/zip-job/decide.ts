import { isDeepStrictEqual } from 'node:util';
import { REASONS } from '#crds/conditions.ts';
import { isFinished } from '#crds/zip-job.ts';
import { defined } from '#runtime/collections/optional.ts';
import { holdsFinalizer } from '#runtime/kube/finalizer.ts';
import { JOB_LIMITS } from '#runtime/zip-request/job-limits.ts';
import { ownJob } from '../cluster/job-state.ts';
import { type ForcedRemoval, gracePeriodEnds } from '../cluster/release.ts';
import type {
  Action,
  Decision,
  DecisionConfig,
  Observation,
  OwnedStatus,
  Situation,
  Step,
} from './observation.ts';
import { isRecovering, ownedStatus, withCondition } from './owned-status.ts';
import { settingsFor } from './policies/archive-size.ts';
import { awaitsArchive, hasHistory } from './policies/archiving.ts';
import { followAdoption } from './policies/inheritance.ts';
import { interruption } from './policies/interruption.ts';
import { settingsIn } from './policies/pod-settings.ts';
import { DELETION_GRACE_PERIOD_MS, STORING_MS } from './policies/recovery.ts';
import { isRestored, lacksRecord } from './policies/restored.ts';
import { resultOf, verifyResult } from './policies/result.ts';
import { atTheLatest, msUntil } from './requeue.ts';
import { active } from './states/active.ts';
import { recordExit } from './states/awaiting-exit.ts';
import { abandoned, beginEnding, endJob, finalPhaseOf, finish, restored } from './states/ending.ts';
import { finished } from './states/finished.ts';
import { queued } from './states/queued.ts';
import { recovering } from './states/recovering.ts';

function outcomeOf(s: Situation): { reason: string; message: string } {
  return {
    reason: s.status.reason ?? 'Internal',
    message: s.status.message ?? '',
  };
}

/** Phase Finalizing: reason and message contain the outcome. Only a complete archive in the store can still change it. */
function finalizing(s: Situation): Step {
  const intended = outcomeOf(s);
  if (finalPhaseOf(intended.reason) === 'Succeeded' || !isRecovering(s.status))
    return finish(s, s.status, intended);
  const result = recovering(s);
  if (result.kind === 'waiting') {
    const actions = [...endJob(s, s.status), ...(result.step.actions ?? [])];
    return { ...result.step, actions };
  }
  const step = finish(s, result.status, result.outcome ?? intended);
  return {
    ...step,
    events: [...result.events, ...(step.events ?? [])],
    actions: [...result.actions, ...(step.actions ?? [])],
  };
}

/**
 * The active pod wrote its result after it had published and verified the archive, so the job finishes whatever happens to
 * the pod now. Only the record of the attempt waits for the exit. Undefined while there is no result.
 */
function uploaded(s: Situation): Step | undefined {
  const { zipJob } = s.seen;
  const result = resultOf(zipJob);
  if (!result) return undefined;
  const status = withCondition(recordExit(s), 'Recovered', {
    status: 'True',
    reason: 'Recovered',
    message: 'The archive is complete.',
    now: s.now,
  });
  return finish(s, status, verifyResult(zipJob, result));
}

/*
 * (new) -> Queued -> Starting -> Running -> Finalizing -> Succeeded | Failed | Cancelled
 *
 * Queued: no Job exists. Starting: the Job exists. Running: the active pod has written progress; between two attempts the
 * phase stays the same. Finalizing: the outcome is known and the last attempt is being recovered. A written result finishes
 * the job at once and takes precedence over everything else, because the archive is already published. A copy from a backup
 * is final in any phase.
 */
function recoveryEnds({ seen, config }: Situation): Date | undefined {
  return hasHistory(config)
    ? gracePeriodEnds(seen.zipJob.metadata, DELETION_GRACE_PERIOD_MS - STORING_MS)
    : undefined;
}

/** The history needs the end of a job, so a job that is being deleted must have one before its finalizer is removed. */
function mustEndUnrecovered(s: Situation): boolean {
  const until = recoveryEnds(s);
  return until !== undefined && (s.seen.isNamespaceTerminating || s.now >= until);
}

function stepOf(s: Situation): Step {
  if (isFinished(s.seen.zipJob)) return finished(s);
  if (isRestored(s.seen.zipJob, s.config) && !ownJob(s.seen)) return restored(s);
  const adoption = followAdoption(s);
  return after(adoption, unfinishedStep({ ...s, status: adoption.status }));
}

/** One write reports both steps. */
function after(first: Step, step: Step): Step {
  const before = [...(first.before ?? []), ...(step.before ?? [])];
  const events = [...(first.events ?? []), ...(step.events ?? [])];
  return { ...step, ...(before.length > 0 && { before }), ...(events.length > 0 && { events }) };
}

function unfinishedStep(s: Situation): Step {
  const mustEnd = mustEndUnrecovered(s);
  if (s.status.phase === 'Finalizing' && !mustEnd) return finalizing(s);
  return uploaded(s) ?? (mustEnd ? abandoned(s) : unfinished(s));
}

function unfinished(s: Situation): Step {
  const stop = interruption(s.seen);
  if (stop) return beginEnding(s, stop);
  return s.status.phase === undefined || s.status.phase === 'Queued' ? queued(s) : active(s);
}

/** True if this step finishes a job without a finalizer that the history has to store: a deletion would not wait for it. */
function finishesUnheld({ seen: { zipJob }, config }: Situation, step: Step): boolean {
  return (
    hasHistory(config) &&
    !isFinished(zipJob) &&
    isFinished({ status: step.status }) &&
    zipJob.metadata.deletionTimestamp === undefined &&
    !holdsFinalizer(zipJob.metadata)
  );
}

/**
 * Such a job gets its finalizer first and finishes in the next reconcile. A copy from a backup finishes first, because the write of
 * the finalizer records the acceptance, which would make it a new job.
 */
function heldStep(s: Situation, step: Step): Step {
  if (!finishesUnheld(s, step)) return step;
  const actions: readonly Action[] = [{ kind: 'addFinalizer' }];
  return isRestored(s.seen.zipJob, s.config)
    ? { ...step, actions: [...actions, ...(step.actions ?? [])] }
    : { status: s.status, isDeferred: true, actions };
}

/**
 * The finalizer must exist before anything is created, and cannot be added to an object that is being deleted. The same
 * write records the acceptance, for a job without another record as soon as possible: a backup may be taken at any time.
 * A job that finished before the history was enabled gets it too, so that a deletion waits until the job is stored.
 */
function finalizerAction(
  { seen: { zipJob }, config }: Situation,
  { status, actions = [] }: Step,
): readonly Action[] {
  function has(wanted: Action['kind']): boolean {
    return actions.some(({ kind }) => kind === wanted);
  }
  if (zipJob.metadata.deletionTimestamp !== undefined || has('addFinalizer') || has('deleteZipJob'))
    return [];
  const isUnrecorded = lacksRecord(zipJob) && !isFinished({ status });
  const mustHold = has('createJob') || awaitsArchive(zipJob, config);
  return isUnrecorded || (mustHold && !holdsFinalizer(zipJob.metadata)) ? [{ kind: 'addFinalizer' }] : [];
}

/** Until when a Job whose creation was not confirmed may still appear. Its slot and key are held until then. */
function unconfirmedUntil({ seen: { refusal, position }, now }: Situation): Date | undefined {
  return refusal?.target === 'archive' &&
    refusal.mayExist &&
    position.state === 'running' &&
    now < refusal.retryAt
    ? refusal.retryAt
    : undefined;
}

/** A queued job that neither starts nor waits for the ledger must not block others. */
function slotActions(s: Situation, { slot }: Step): readonly Action[] {
  if (slot === 'reserve') return [{ kind: 'reserve' }];
  if (unconfirmedUntil(s)) return [];
  const { seen, status } = s;
  const isQueued = status.phase === undefined || status.phase === 'Queued';
  const { state } = seen.position;
  return slot === 'wait' || state === 'none' || !isQueued || ownJob(seen) ? [] : [{ kind: 'release', state }];
}

/** Makes room for the next Job or pod before it is tried again. */
function quotaActions({ quota }: Observation): readonly Action[] {
  return quota?.isFreeable === true ? [{ kind: 'freeQuota', refusal: quota.refusal }] : [];
}

/** Nothing can be created in a terminating namespace, so recovery is impossible there. The history can still be written. */
function forcedRemoval({ seen, now, config }: Situation): ForcedRemoval | undefined {
  if (seen.isNamespaceTerminating && !hasHistory(config)) return 'NamespaceTerminating';
  const until = gracePeriodEnds(seen.zipJob.metadata, DELETION_GRACE_PERIOD_MS);
  return until && now >= until ? 'Overdue' : undefined;
}

const NOT_ARCHIVED = { type: 'Warning', reason: 'NotArchived', message: REASONS.NotArchived } as const;

function removal({ seen: { zipJob }, config }: Situation, forced: ForcedRemoval): Decision {
  const isUnstored = isFinished(zipJob) ? awaitsArchive(zipJob, config) : hasHistory(config);
  return {
    actions: [{ kind: 'removeFinalizer', forced, ...(isUnstored && { isUnstored }) }],
    events: isUnstored ? [NOT_ARCHIVED] : [],
  };
}

/** Requeues at the deadline of a deletion and of an unconfirmed creation, even if the step waits longer. */
function wakeAfterMs(s: Situation, step: Step): number | undefined {
  const deletion = gracePeriodEnds(s.seen.zipJob.metadata, DELETION_GRACE_PERIOD_MS);
  const recovery = recoveryEnds(s);
  const ahead = recovery && recovery > s.now ? recovery : undefined;
  return atTheLatest(step, msUntil(s.now, deletion, ahead, unconfirmedUntil(s))).requeueAfterMs;
}

/** What a step writes, unless a later reconcile does. */
function reported(
  { isDeferred, before, status, events = [] }: Step,
  was: OwnedStatus,
): Pick<Decision, 'before' | 'status' | 'events'> {
  if (isDeferred === true) return { events: [] };
  return { ...defined({ before }), ...(!isDeepStrictEqual(status, was) && { status }), events };
}

/** Decides the next step for one ZipJob. Pure: the decision depends only on the arguments. */
export function decide(seen: Observation, now: Date, config: DecisionConfig): Decision {
  const before = ownedStatus(seen.zipJob.status);
  const { metadata } = seen.zipJob;
  const observedGeneration = metadata.generation;
  const s: Situation = {
    seen,
    status:
      isFinished(seen.zipJob) || observedGeneration === undefined
        ? before
        : { ...before, observedGeneration },
    now,
    config: settingsFor(seen.maxArchiveBytes ?? JOB_LIMITS.archiveBytes, settingsIn(seen.project, config)),
  };
  const forced = forcedRemoval(s);
  if (forced) return removal(s, forced);
  const step = heldStep(s, stepOf(s));
  const requeueAfterMs = wakeAfterMs(s, step);
  return {
    ...reported(step, before),
    actions: [
      ...quotaActions(seen),
      ...slotActions(s, step),
      ...finalizerAction(s, step),
      ...(step.actions ?? []),
    ],
    ...defined({ requeueAfterMs }),
  };
}
