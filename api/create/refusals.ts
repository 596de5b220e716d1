/** What the API server and the limits of a project refuse, for the caller and for the log. */
import { POLICY_MARKS } from '#crds/policy-marks.ts';
import { isKubeError } from '#runtime/kube/client/kube-error.ts';
import type { Logger } from '#runtime/log/log.ts';
import type { Clock } from '#runtime/time/clock.ts';
import { type ApiError, quotaExceeded, refusedByPolicy } from '../errors/api-error.ts';

/** The response if a quota or an admission policy refused; undefined for any other error. */
export function refusalOf(error: unknown): ApiError | undefined {
  if (isKubeError(error, 'QuotaExceeded')) return quotaExceeded(error);
  // With 429, a webhook asks for the same request later.
  const isFinal = isKubeError(error) && !error.retryable && error.policy !== undefined;
  return isFinal ? refusedByPolicy(error) : undefined;
}

/** True if the project has changed since the API read it, so that the next request succeeds. */
export function isOutdated(error: unknown): boolean {
  return isKubeError(error, 'Forbidden', 'Invalid') && error.mark === POLICY_MARKS.projectChanged;
}

/** Minimum interval between two log lines of a project, because it may send thousands of requests. */
const LOG_EVERY_MS = 60_000;

/** Names a project that is full, or whose objects a policy refuses, in the log: metrics have no project label. */
export type NoteRefusal = (project: string, refusal: ApiError) => void;

export function createNoteRefusal(deps: {
  readonly clock: Pick<Clock, 'monotonicMs'>;
  readonly log: Logger;
}): NoteRefusal {
  const { clock, log } = deps;
  /** Projects that the log named recently, oldest first. */
  const quietUntil = new Map<string, number>();
  function forgetOld(now: number): void {
    for (const [project, until] of quietUntil) {
      if (until > now) return;
      quietUntil.delete(project);
    }
  }
  return (project, { code, message, cause }) => {
    const now = clock.monotonicMs();
    forgetOld(now);
    if (quietUntil.has(project)) return;
    quietUntil.set(project, now + LOG_EVERY_MS);
    if (code === 'refused_by_policy')
      log.warn({ project, code, err: cause }, 'an admission policy refuses the jobs of a project');
    else log.warn({ project, code }, `a project is full: ${message}`);
  };
}
