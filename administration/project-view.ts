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

/** A project for display; null for unset or unknown fields. */
export interface Project extends LimitView {
  /** Identifies the project: a namespace contains at most one. */
  readonly namespace: string;
  readonly displayName: string | null;
  readonly createdAt: string | null;
  /** Null until the controller has reconciled it. */
  readonly ready: Readiness | null;
  readonly deletingSince: string | null;
}

const readinessOf = (conditions: Parameters<typeof findCondition>[0]): Readiness | null => {
  const ready = findCondition(conditions, 'Ready');
  if (!ready) return null;
  const { status, reason, message, lastTransitionTime: since } = ready;
  return { status, reason, message, since };
};

export const toProject = (project: ZipProject): Project => {
  const { metadata, spec, status } = project;
  return {
    namespace: metadata.namespace,
    displayName: spec.displayName ?? null,
    createdAt: metadata.creationTimestamp ?? null,
    ready: readinessOf(status?.conditions),
    deletingSince: metadata.deletionTimestamp ?? null,
    ...toLimitView(project),
  };
};
