import type { FailureCode } from '#crds/exit-codes.ts';
import { type Failure, SPEC_DEFAULTS } from '#crds/zip-job.ts';
import type { ArchiveTask } from '#crds/zipper-task.ts';
import { defined } from '#runtime/collections/optional.ts';
import { AppError } from '#runtime/errors.ts';
import { toSourceFailure } from '../sources/known-sources.ts';
import type { SourceSettings } from '../sources/settings.ts';
import { SourceError } from '../sources/source-error.ts';
import type { SourceReader } from '../sources/types.ts';
import { isLastAttempt, type OwnZipJob } from '../status/own-zip-job.ts';

export type CheckSettings = Pick<SourceSettings, 'sourceCheckLimitMs' | 'sourceSequential'>;

interface FailedJob {
  readonly task: ArchiveTask;
  readonly settings: CheckSettings;
  readonly zipJob: OwnZipJob;
  readonly failure: Failure;
}

/** Every source fails with it, so that it says nothing about them. */
const OF_PROXY = 'SourceProxyAuthenticationRequired' satisfies FailureCode;

/** True if the job fails because of a source, and each source may be requested once more. */
export function shouldCheckOthers({ task, settings, zipJob, failure }: FailedJob): boolean {
  return (
    settings.sourceCheckLimitMs > 0 &&
    failure.code.startsWith('Source') &&
    failure.code !== OF_PROXY &&
    (task.onSourceError ?? SPEC_DEFAULTS.onSourceError) === 'Fail' &&
    !(task.sequential ?? settings.sourceSequential) &&
    (!failure.retriable || isLastAttempt(zipJob))
  );
}

interface Check {
  readonly sources: SourceReader;
  readonly error: Error;
  readonly failure: Failure;
  /** The last entry that was started. */
  readonly lastStarted: number | undefined;
  readonly signal: AbortSignal;
}

/** Checks the other sources, and returns the error with the number of failing ones. */
export async function checkOthers({ sources, error, failure, lastStarted, signal }: Check): Promise<Error> {
  const { known } = sources;
  const { code, httpStatus, fileIndex = lastStarted } = failure;
  // A source can respond as it should and still fail: the archive refuses its length.
  if (error instanceof SourceError) known.failed(toSourceFailure(error));
  else if (fileIndex !== undefined) known.failed({ fileIndex, code, ...defined({ httpStatus }) });
  await sources.checkOthers(signal);
  const { checked, failed } = known.summary();
  if (failed < 2 || !(error instanceof AppError)) return error;
  const { retryable, details } = error;
  const text = `${error.message}; ${failed} of ${checked} checked sources fail`;
  return new AppError(text, { code: error.code, retryable, cause: error, details });
}
