import type { ZipProject } from '#crds/zip-project.ts';
import type { EgressPolicy } from '#runtime/egress/egress-policy.ts';
import type { ProjectClasses } from '#runtime/project-limits/project-classes.ts';
import { findNameFaults } from '#runtime/zip-request/name-faults.ts';
import { createUrlProblem } from '#runtime/zip-request/url-problem.ts';
import type { RequestLimits } from '../body/request-limits.ts';
import type { RequestCheckDeps } from './check-request.ts';
import { createZipJobBodyCheck } from './schemas/zip-job-request.ts';

export interface RequestPolicyDeps extends Pick<ProjectClasses, 'limitsOf' | 'closedBy'> {
  readonly egress: EgressPolicy;
  readonly limits: RequestLimits;
}

/** The validation rules for the requests of a project. */
export type RequestPolicy = (project: ZipProject) => RequestCheckDeps;

/** Reports invalid sources early. The zipper enforces the egress policy when it fetches them. */
export function createRequestPolicy(deps: RequestPolicyDeps): RequestPolicy {
  const { egress, limits, limitsOf, closedBy } = deps;
  const bodyCheck = createZipJobBodyCheck();
  const urlProblem = createUrlProblem(egress);
  return (project) => {
    const { filesPerJob, archiveBytes } = limitsOf(project.metadata.namespace, project);
    return {
      ...bodyCheck,
      urlProblem,
      findNameFaults,
      // No file can be larger than the archive.
      maxFileBytes: archiveBytes,
      options: {
        closedBy: (option) => closedBy(project, option),
        defaults: project.spec.jobDefaults ?? {},
      },
      limits: { ...limits, maxFiles: Math.min(limits.maxFiles, filesPerJob) },
    };
  };
}
