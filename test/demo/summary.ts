import type { ZipJob } from '#crds/zip-job.ts';

export function mebibytes(bytes: number): string {
  return `${(bytes / 1024 / 1024).toFixed(1)} MiB`;
}

export const AFTERWARDS = `
Open it yourself:        npm run demo -- --keep
                         keeps all of this running: the dashboard with a link that signs you in, the API reference, and two commands to try
Archive your own links:  npm run demo -- --url https://... --url https://...`;

/** The figures of a finished job. */
export function summarize(job: ZipJob): string {
  const { apiStatus, result, webhook, attemptsTotal } = job.status ?? {};
  if (result === undefined) throw new Error(`the status of ${job.metadata.name} contains no result`);
  const rate = mebibytes(result.bytes / result.seconds);
  return [
    `${result.entries} files in one archive of ${mebibytes(result.bytes)}: ${result.seconds.toFixed(2)} s, ${rate}/s`,
    `peak memory of the zipper ${mebibytes(result.peakMemory)}, attempts ${attemptsTotal ?? 0}, retries ${result.retries}`,
    `status ${String(apiStatus)}, webhook ${String(webhook?.state)}, etag ${result.etag}`,
  ].join('\n');
}
