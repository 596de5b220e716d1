/** ZipJobs that differ in what the admission ledger reads. */

import type { Ledger } from '#controller/queue/ledger.ts';
import type { ZipJob, ZipJobStatus } from '#crds/zip-job.ts';
import { objectKey } from '#runtime/kube/types.ts';
import { ago, aZipJob } from './objects.ts';

export interface QueuedJobChange {
  readonly project?: string;
  readonly bucket?: string;
  /** Its own unless given. */
  readonly key?: string;
  /** Age in seconds. */
  readonly age?: number;
  readonly status?: ZipJobStatus;
}

export function queuedJob(
  name: string,
  { project = 'a', bucket = 's3-x', key = name, age = 60, status }: QueuedJobChange = {},
): ZipJob {
  return aZipJob({
    metadata: { name, namespace: project, uid: `uid-${name}`, creationTimestamp: ago(age) },
    spec: { bucketRef: { name: bucket }, key },
    ...(status && { status }),
  });
}

/** What the cache reports when the job is finished. */
export function end(ledger: Ledger, zipJob: ZipJob): void {
  ledger.see({
    kind: 'set',
    key: objectKey(zipJob),
    object: { ...zipJob, status: { phase: 'Succeeded' } },
    before: zipJob,
  });
}
