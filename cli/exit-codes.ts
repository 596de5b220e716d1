import {
  AdministrationError,
  type AdministrationErrorCode,
} from '#administration/errors/administration-error.ts';
import { meaningOfKubeError } from '#administration/errors/explain-kube-error.ts';
import { ConfigError, isAbort } from '#runtime/errors.ts';
import { isKubeError } from '#runtime/kube/client/kube-error.ts';
import { UsageError } from './usage-error.ts';

/** Exit codes that scripts can rely on. */
export const EXIT_CODES = {
  ok: 0,
  /** The operation failed, a test failed, or the program has a bug. */
  failed: 1,
  usage: 2,
  refused: 3,
  notFound: 4,
  /** The API server does not respond or fails, or rejects the credentials. */
  noCluster: 5,
  timedOut: 6,
  /** `zipjobs doctor` found warnings but no failure, or could not check something. */
  warnings: 7,
  interrupted: 130,
} as const;

/** Last lines of the help. */
export const EXIT_CODES_HELP =
  'Exit codes: 0 success; 1 operation or test failed; 2 invalid arguments or input; 3 refused (permission, policy, conflict, in use); 4 not found; 5 cluster unreachable, failing or not signed in; 6 timed out; 7 warnings, or not everything could be checked (doctor); 130 interrupted.';

const BY_CODE: Readonly<Record<AdministrationErrorCode, number>> = {
  InvalidInput: EXIT_CODES.usage,
  Forbidden: EXIT_CODES.refused,
  Refused: EXIT_CODES.refused,
  AlreadyExists: EXIT_CODES.refused,
  InUse: EXIT_CODES.refused,
  Conflict: EXIT_CODES.refused,
  NotFound: EXIT_CODES.notFound,
  Unauthorized: EXIT_CODES.noCluster,
  Unreachable: EXIT_CODES.noCluster,
  TimedOut: EXIT_CODES.timedOut,
  Failed: EXIT_CODES.failed,
};

/** The only mapping of errors to exit codes. */
export function exitCodeOf(thrown: unknown): number {
  if (thrown instanceof AdministrationError) return BY_CODE[thrown.code];
  if (isKubeError(thrown)) return BY_CODE[meaningOfKubeError(thrown)];
  if (thrown instanceof UsageError) return EXIT_CODES.usage;
  if (thrown instanceof ConfigError) return EXIT_CODES.noCluster;
  return isAbort(thrown) ? EXIT_CODES.interrupted : EXIT_CODES.failed;
}
