import { FAILURE_FAULTS } from '#crds/job-failures.ts';

/** Every reason of a failed or cancelled job, sorted. */
export const FINAL_REASONS: readonly string[] = [...FAILURE_FAULTS.keys()].sort((a, b) =>
  a.localeCompare(b, 'en'),
);
