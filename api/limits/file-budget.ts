import type { ZipProject } from '#crds/zip-project.ts';
import { type Delay, refusalOf } from './delay.ts';
import type { RateLimits } from './rate-limits.ts';

/** The files per second of each project. They are known only after a request is read, so its next requests wait for them. */
export interface FileBudget {
  /**
   * Pacing has delayed the request before, but requests that arrived together passed it together.
   * @throws ApiError rate_limit_exceeded
   */
  assertLeft(project: ZipProject): void;
  spend(project: ZipProject, files: number): void;
}

export function createFileBudget(deps: {
  readonly rateLimits: Pick<RateLimits, 'filesDelayMs' | 'countFiles'>;
  readonly onExceeded: (limit: Delay['limit']) => void;
}): FileBudget {
  return {
    assertLeft: (project) => {
      const refusal = refusalOf({ limit: 'files', ms: deps.rateLimits.filesDelayMs(project) });
      if (refusal === undefined) return;
      deps.onExceeded('files');
      throw refusal;
    },
    spend: deps.rateLimits.countFiles,
  };
}
