import { REASONS } from '#crds/conditions.ts';
import type { ZipBucket } from '#crds/zip-bucket.ts';
import type { ZipJob } from '#crds/zip-job.ts';
import type { ZipProject } from '#crds/zip-project.ts';
import { firstOf } from '#runtime/collections/first-of.ts';
import { type ForcedRemoval, gracePeriodEnds, isLeaving } from '../cluster/release.ts';

/** What remains in the namespace of a project that is being deleted. */
export interface LeavingProject {
  readonly project: ZipProject;
  readonly unfinished: readonly ZipJob[];
  readonly buckets: readonly ZipBucket[];
  readonly isNamespaceTerminating: boolean;
}

export type ProjectDeletion =
  | { readonly kind: 'release'; readonly forced?: ForcedRemoval }
  | {
      readonly kind: 'wait';
      /** Jobs that are not cancelled yet. */
      readonly cancel: readonly ZipJob[];
      readonly message: string;
      readonly until: Date;
    };

function listOf(objects: readonly { readonly metadata: { readonly name: string } }[]): string {
  return firstOf(objects.map(({ metadata }) => metadata.name).sort());
}

function messageOf({ unfinished, buckets }: LeavingProject, until: Date): string {
  const waits = [
    ...(unfinished.length > 0 ? [`jobs have ended: ${listOf(unfinished)}`] : []),
    ...(buckets.length > 0 ? [`ZipBuckets have been deleted: ${listOf(buckets)}`] : []),
  ];
  return `${REASONS.ProjectDeleting} Waiting until ${waits.join('; and ')}; at the latest until ${until.toISOString()}.`;
}

/** Decides the next step of a project deletion. Its tokens are invalid from the start of the deletion. */
export function projectDeletion(
  seen: LeavingProject,
  at: { readonly now: Date; readonly projectDeletionSeconds: number },
): ProjectDeletion {
  const { project, unfinished, buckets } = seen;
  if (seen.isNamespaceTerminating) return { kind: 'release', forced: 'NamespaceTerminating' };
  if (unfinished.length === 0 && buckets.length === 0) return { kind: 'release' };
  const until = gracePeriodEnds(project.metadata, at.projectDeletionSeconds * 1000) ?? at.now;
  if (at.now >= until) return { kind: 'release', forced: 'Overdue' };
  const cancel = unfinished.filter(({ metadata, spec }) => spec.cancel !== true && !isLeaving(metadata));
  return { kind: 'wait', cancel, message: messageOf(seen, until), until };
}
