import { isDeepStrictEqual } from 'node:util';
import { holdsFinalizer } from '#runtime/kube/finalizer.ts';
import { archiveStateOf } from '../../cluster/archive-state.ts';
import { expiresAt, fileListExpiresAt, podsExpireAt } from '../lifetime/lifetime.ts';
import type { Action, Situation, Step } from '../observation.ts';
import { withCondition } from '../owned-status.ts';
import { awaitsArchive } from '../policies/archiving.ts';
import { atTheLatest, msUntil } from '../requeue.ts';
import { podExit } from './awaiting-exit.ts';
import { deleteJob } from './ending.ts';
import { notify } from './notify.ts';

/** Results of other attempts, which nothing waits for. */
function discarded({ seen }: Situation): readonly Action[] {
  return [...seen.deliveries].flatMap(([endpoint, { kind }]): readonly Action[] =>
    kind === 'stale' ? [{ kind: 'discardDelivery', endpoint }] : [],
  );
}

interface Due {
  readonly at: Date | undefined;
  readonly actions: readonly Action[];
}

function podsDue({ seen, config, now }: Situation): readonly Due[] {
  const expires = podsExpireAt(seen.zipJob, config);
  const at = expires && seen.hasSurplusPods === true ? now : expires;
  return (seen.ownJobs ?? [])
    .map((job) => ({ at, actions: deleteJob(job) }))
    .filter(({ actions }) => actions.length > 0);
}

/** A job that the history lacks has its finalizer until a full project drops it. */
function deletion({ seen, config }: Situation): readonly Action[] {
  return awaitsArchive(seen.zipJob, config)
    ? [{ kind: 'removeFinalizer' }, { kind: 'deleteZipJob', isUnstored: true }]
    : [{ kind: 'deleteZipJob' }];
}

function dueOf(s: Situation): readonly Due[] {
  const { zipJob, listUsers, isSurplus } = s.seen;
  const secretNames = zipJob.spec.filesFrom?.secretNames ?? [];
  const listUntil = fileListExpiresAt(zipJob, s.config, listUsers);
  const pods = podsDue(s);
  const ownedUntil = [listUntil, ...pods.map(({ at }) => at)];
  return [
    { at: listUntil, actions: [{ kind: 'deleteFileList', secretNames }] },
    { at: expiresAt(zipJob, s.config, { listUsers, isSurplus, ownedUntil }), actions: deletion(s) },
    // Last: a policy may refuse to delete a Job that a user added, and all others are deleted with the ZipJob.
    ...pods,
  ];
}

/** The history gets the changed status in a second write; this one is due anyway. */
function withOutdatedArchive({ status: before, seen, now }: Situation, step: Step): Step {
  return archiveStateOf(seen.zipJob) !== 'stored' || isDeepStrictEqual(step.status, before)
    ? step
    : {
        ...step,
        status: withCondition(step.status, 'Archived', { status: 'True', reason: 'ArchiveOutdated', now }),
      };
}

/**
 * After the job finished: removes the finalizer once the history has the job, delivers the webhook, records the exit of the pod,
 * deletes the file list, the Kubernetes Jobs and finally the ZipJob.
 */
export function finished(s: Situation): Step {
  return withOutdatedArchive(s, finishedStep(s));
}

function finishedStep(s: Situation): Step {
  const { metadata } = s.seen.zipJob;
  const release: readonly Action[] =
    holdsFinalizer(metadata) && !awaitsArchive(s.seen.zipJob, s.config) ? [{ kind: 'removeFinalizer' }] : [];
  if (metadata.deletionTimestamp !== undefined)
    // A finalizer of another controller may keep the ZipJob, but not its slot.
    return release.length > 0 ? { status: s.status, actions: release } : podExit(s);
  const exit = podExit(s);
  const reported = notify({ ...s, status: exit.status });
  const due = dueOf(s);
  const later = due.map(({ at }) => at).filter((at) => at !== undefined && at > s.now);
  return {
    ...atTheLatest(atTheLatest(reported, exit.requeueAfterMs), msUntil(s.now, ...later)),
    actions: [
      ...discarded(s),
      ...(exit.actions ?? []),
      ...release,
      ...(reported.actions ?? []),
      ...due.filter(({ at }) => at !== undefined && at <= s.now).flatMap(({ actions }) => actions),
    ],
  };
}
