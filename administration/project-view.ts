import { findCondition } from '#crds/conditions.ts';
import type { ZipProject } from '#crds/zip-project.ts';

/** A status as reported by the controller. */
export interface Readiness {
  readonly status: 'True' | 'False' | 'Unknown';
  readonly reason: string;
  readonly message: string;
  readonly since: string;
}

/** A project for display; null for unset or unknown fields. */
export interface Project {
  /** Identifies the project: a namespace contains at most one. */
  readonly namespace: string;
  readonly displayName: string | null;
  readonly createdAt: string | null;
  /** Null until the controller has reconciled it. */
  readonly ready: Readiness | null;
  readonly deletingSince: string | null;
  readonly limits: {
    readonly activeJobs: number | null;
    readonly filesPerJob: number | null;
    readonly requestsPerMinute: number | null;
  };
}

const readinessOf = (conditions: Parameters<typeof findCondition>[0]): Readiness | null => {
  const ready = findCondition(conditions, 'Ready');
  if (!ready) return null;
  const { status, reason, message, lastTransitionTime: since } = ready;
  return { status, reason, message, since };
};

const NO_LIMITS: Project['limits'] = { activeJobs: null, filesPerJob: null, requestsPerMinute: null };

export const toProject = ({ metadata, spec, status }: ZipProject): Project => ({
  namespace: metadata.namespace,
  displayName: spec.displayName ?? null,
  createdAt: metadata.creationTimestamp ?? null,
  ready: readinessOf(status?.conditions),
  deletingSince: metadata.deletionTimestamp ?? null,
  limits: { ...NO_LIMITS, ...spec.limits },
});
