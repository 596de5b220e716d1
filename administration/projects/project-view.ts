import { findCondition } from '#crds/conditions.ts';
import type { ZipProject } from '#crds/zip-project.ts';
import { type LimitView, toLimitView } from './project-limits.ts';

/** A status as reported by the controller. */
export interface Readiness {
  readonly status: 'True' | 'False' | 'Unknown';
  readonly reason: string;
  readonly message: string;
  readonly since: string;
}

/** The last deletion of all records of a project from the history. */
export interface HistoryPurgeView {
  readonly startedAt: string;
  /** Null while it is not finished. */
  readonly finishedAt: string | null;
  readonly records: number;
  /** False also if it was refused. */
  readonly isComplete: boolean;
  readonly message: string | null;
}

/** A project for display; null for unset or unknown fields. */
export interface Project extends LimitView {
  /** Identifies the project: a namespace contains at most one. */
  readonly namespace: string;
  readonly displayName: string | null;
  readonly createdAt: string | null;
  /** Null until the controller has reconciled it. */
  readonly ready: Readiness | null;
  readonly deletingSince: string | null;
  /** Days after which the history deletes its jobs. Null: the retention of the installation. */
  readonly historyRetentionDays: number | null;
  /** Null if nobody requested it. */
  readonly historyPurge: HistoryPurgeView | null;
}

function readinessOf(conditions: Parameters<typeof findCondition>[0]): Readiness | null {
  const ready = findCondition(conditions, 'Ready');
  if (!ready) return null;
  const { status, reason, message, lastTransitionTime: since } = ready;
  return { status, reason, message, since };
}

export function toHistoryPurge({ status }: Pick<ZipProject, 'status'>): HistoryPurgeView | null {
  const purge = status?.historyPurge;
  if (!purge) return null;
  const { startedAt, finishedAt = null, records } = purge;
  const condition = findCondition(status.conditions, 'HistoryPurged');
  const isComplete = finishedAt !== null && condition?.status === 'True';
  return { startedAt, finishedAt, records, isComplete, message: condition?.message ?? null };
}

export function toProject(project: ZipProject): Project {
  const { metadata, spec, status } = project;
  return {
    namespace: metadata.namespace,
    displayName: spec.displayName ?? null,
    createdAt: metadata.creationTimestamp ?? null,
    ready: readinessOf(status?.conditions),
    deletingSince: metadata.deletionTimestamp ?? null,
    historyRetentionDays: spec.historyRetentionDays ?? null,
    historyPurge: toHistoryPurge(project),
    ...toLimitView(project),
  };
}
