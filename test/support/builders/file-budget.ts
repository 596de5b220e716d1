import { createFileBudget, type FileBudget } from '#api/limits/file-budget.ts';
import { createSecondLimits } from '#api/limits/second-limits.ts';
import { systemClock } from '#runtime/time/clock.ts';
import { projectClasses } from './project-classes.ts';

/** For requests without a limit of files per second. */
export function unlimitedFiles(): FileBudget {
  const rateLimits = createSecondLimits(
    {
      limitsOf: projectClasses({ default: { filesPerSecond: 0 } }).limitsOf,
      undelayedRequestsPerSecond: 1,
      undelayedBodyBytesPerSecond: 1,
      clock: systemClock,
    },
    () => ({ token: { subject: '', limit: 0 }, project: { subject: '', limit: 0 } }),
  );
  return createFileBudget({ rateLimits, onExceeded: () => undefined });
}
