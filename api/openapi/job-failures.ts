import { REASONS } from '#crds/conditions.ts';
import { REASON_FAULTS } from '#crds/job-failures.ts';
import { FAILURE_CODES } from '#crds/zipper-contract.ts';

export interface JobFailure {
  readonly code: string;
  readonly text: string;
}

const reasons = Object.keys(REASON_FAULTS) as readonly (keyof typeof REASON_FAULTS)[];

/** Every `error.code` of a failed job with its description. */
export const JOB_FAILURES: readonly JobFailure[] = [
  ...Object.entries(FAILURE_CODES).map(([code, { text }]) => ({ code, text })),
  ...reasons.map((code) => ({ code, text: REASONS[code] })),
];
