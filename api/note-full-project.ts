import type { Clock } from '#runtime/clock.ts';
import type { Logger } from '#runtime/log.ts';
import type { ApiError } from './api-error.ts';

/** Minimum interval between two log lines, because a full project may send thousands of requests. */
const LOG_EVERY_MS = 60_000;

/** Names a full project in the log: metrics have no project label. */
export type NoteFullProject = (project: string, refusal: ApiError) => void;

export const createNoteFullProject = (deps: {
  readonly clock: Pick<Clock, 'monotonicMs'>;
  readonly log: Logger;
}): NoteFullProject => {
  const { clock, log } = deps;
  let quietUntil = Number.NEGATIVE_INFINITY;
  return (project, { code, message }) => {
    const now = clock.monotonicMs();
    if (now < quietUntil) return;
    quietUntil = now + LOG_EVERY_MS;
    log.warn({ project, code }, `a project is full: ${message}`);
  };
};
