import type { Clock } from '#runtime/clock.ts';
import type { Logger } from '#runtime/log.ts';
import type { ApiError } from './api-error.ts';

/** Minimum interval between two log lines of a project, because it may send thousands of requests. */
const LOG_EVERY_MS = 60_000;

/** Names a full project in the log: metrics have no project label. */
export type NoteFullProject = (project: string, refusal: ApiError) => void;

export function createNoteFullProject(deps: {
  readonly clock: Pick<Clock, 'monotonicMs'>;
  readonly log: Logger;
}): NoteFullProject {
  const { clock, log } = deps;
  /** Projects that the log named recently, oldest first. */
  const quietUntil = new Map<string, number>();
  function forgetOld(now: number): void {
    for (const [project, until] of quietUntil) {
      if (until > now) return;
      quietUntil.delete(project);
    }
  }
  return (project, { code, message }) => {
    const now = clock.monotonicMs();
    forgetOld(now);
    if (quietUntil.has(project)) return;
    quietUntil.set(project, now + LOG_EVERY_MS);
    log.warn({ project, code }, `a project is full: ${message}`);
  };
}
