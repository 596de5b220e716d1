import { REASONS, type Reason } from '#crds/conditions.ts';
import { FAILURE_CODES } from '#crds/zipper-contract.ts';

/** Failures that the controller reports, not the zipper. */
const REASONS_OF_FAILURE = [
  'BucketTerminating',
  'BucketDeleted',
  'ProjectNotFound',
  'InvalidFileList',
  'InvalidMetadata',
  'NameConflict',
  'JobDeleted',
  'StartDeadlineExceeded',
  'DeadlineExceeded',
  'BackoffLimitExceeded',
  'OutOfMemory',
  'TooManyDisruptions',
  'ResultMissing',
  'ResultInvalid',
  'Cancelled',
  'Deleted',
  'Restored',
] as const satisfies readonly Reason[];

export interface JobFailure {
  readonly code: string;
  readonly text: string;
}

/** Every `error.code` of a failed job with its description. */
export const JOB_FAILURES: readonly JobFailure[] = [
  ...Object.entries(FAILURE_CODES).map(([code, { text }]) => ({ code, text })),
  ...REASONS_OF_FAILURE.map((code) => ({ code, text: REASONS[code] })),
];
