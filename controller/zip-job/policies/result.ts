import { manifestFiles } from '#crds/manifest-files.ts';
import type { ZipJob, ZipResult } from '#crds/zip-job.ts';
import { fileCount } from '#crds/zip-job-facts.ts';
import type { Outcome } from '../observation.ts';
import { hasStarted } from '../owned-status.ts';

/** The result of the active pod, if it wrote one. */
export function resultOf(zipJob: ZipJob): ZipResult | undefined {
  return hasStarted(zipJob) ? zipJob.status?.result : undefined;
}

/** Checks the result against the request: every file is an entry or was skipped as allowed, and the archive is not empty. */
export function verifyResult(zipJob: ZipJob, result: ZipResult): Outcome {
  // A skipped file leaves no entry. With `Placeholder`, an entry replaces it; with `Fail`, nothing is skipped.
  const skipped = zipJob.spec.onSourceError === 'Skip' ? (result.skipped?.length ?? 0) : 0;
  const expected = fileCount(zipJob) - skipped + manifestFiles(zipJob.spec).length;
  if (result.entries !== expected)
    return {
      reason: 'ResultInvalid',
      message: `the archive has ${result.entries} entries, but ${expected} were requested`,
    };
  if (result.bytes <= 0) return { reason: 'ResultInvalid', message: 'the archive is empty' };
  return {
    reason: 'Uploaded',
    message: `${result.entries} entries, ${result.bytes} bytes at key ${zipJob.spec.key}`,
  };
}
