import { AppError } from '#runtime/errors.ts';

/** The archive would get other bytes than those of an earlier pod, so the parts that it uploaded do not fit. */
export function layoutChanged(): AppError {
  return new AppError(
    'Could not continue the upload: a source has another length than in an earlier attempt, and what follows it is uploaded; the next attempt uploads everything again',
    { code: 'SourceChanged', retryable: true },
  );
}
