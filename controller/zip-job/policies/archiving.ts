import type { ZipJob } from '#crds/zip-job.ts';
import { awaitsWebhookOrExit } from '#crds/zip-job-facts.ts';
import { archiveStateOf, lacksArchive } from '../../cluster/archive-state.ts';
import { isLeaving } from '../../cluster/release.ts';
import { timeOf } from '../../cluster/times.ts';

export interface ArchivingSettings {
  /** Host of the history database; empty without a history. */
  readonly historyHost: string;
  /** How long the history waits for the webhook and the exit of the pod. */
  readonly archivePendingSeconds: number;
}

export function hasHistory({ historyHost }: Pick<ArchivingSettings, 'historyHost'>): boolean {
  return historyHost !== '';
}

/** True if a history is configured and still has to store this finished ZipJob as it is. */
export function awaitsArchive(zipJob: ZipJob, settings: Pick<ArchivingSettings, 'historyHost'>): boolean {
  return hasHistory(settings) && lacksArchive(zipJob);
}

/** True if the status of the finished job still changes: the history then stores it a second time. */
export function isStillChanging(zipJob: ZipJob): boolean {
  return !isLeaving(zipJob.metadata) && awaitsWebhookOrExit(zipJob);
}

/**
 * When the history stores a ZipJob. Undefined if it does not: the job is unfinished, it is stored as it is, or an earlier
 * version is stored and its webhook is pending.
 */
export function archiveDueAt(zipJob: ZipJob, settings: ArchivingSettings): Date | undefined {
  const finishedAt = timeOf(zipJob.status?.finishedAt);
  if (finishedAt === undefined || !awaitsArchive(zipJob, settings)) return undefined;
  if (!isStillChanging(zipJob)) return new Date(finishedAt);
  return archiveStateOf(zipJob) === 'outdated'
    ? undefined
    : new Date(finishedAt + settings.archivePendingSeconds * 1000);
}

/** What the history does with a ZipJob as the API server has it now. */
export type Archiving =
  /** Nothing is due any more. */
  | { readonly kind: 'nothing' }
  /** `isFinal`: its status does not change any more, so that the condition `Archived` is written. */
  | { readonly kind: 'store'; readonly isFinal: boolean }
  | { readonly kind: 'refuse'; readonly reason: 'ProjectNotFound' };

/** `projectUid`: the uid of its ZipProject, under which the history stores it. */
export function archiving(
  zipJob: ZipJob | undefined,
  projectUid: string | undefined,
  at: { readonly settings: ArchivingSettings; readonly now: Date },
): Archiving {
  const due = zipJob && archiveDueAt(zipJob, at.settings);
  if (!due) return { kind: 'nothing' };
  const isFinal = !isStillChanging(zipJob);
  // A final status is never too early: another clock may have written its end.
  if (!isFinal && due > at.now) return { kind: 'nothing' };
  return projectUid === undefined
    ? { kind: 'refuse', reason: 'ProjectNotFound' }
    : { kind: 'store', isFinal };
}
