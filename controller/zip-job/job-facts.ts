import { ANNOTATIONS } from '#crds/api-group.ts';
import type { ZipJob } from '#crds/zip-job.ts';
import { objectKey } from '#runtime/kube/types.ts';
import { traceFields } from '#runtime/log/traceparent.ts';

/** Common fields of every log line about a ZipJob. They identify its request, pod and webhook. */
export function jobFacts(zipJob: ZipJob): Readonly<Record<string, unknown>> {
  const { uid, generation, annotations } = zipJob.metadata;
  return {
    zipJob: objectKey(zipJob),
    uid,
    generation,
    attempt: zipJob.status?.attemptsTotal,
    ...traceFields(annotations?.[ANNOTATIONS.traceparent]),
  };
}
