import { ANNOTATIONS } from '#crds/api-group.ts';
import type { ZipJob } from '#crds/zip-job.ts';
import { objectKey } from '#runtime/kube/types.ts';
import { traceFields } from '#runtime/traceparent.ts';

/** What every log line about a ZipJob begins with: by these it is found from the request, the pod and the webhook. */
export const jobFacts = (zipJob: ZipJob): Readonly<Record<string, unknown>> => {
  const { uid, generation, annotations } = zipJob.metadata;
  return {
    zipJob: objectKey(zipJob),
    uid,
    generation,
    attempt: zipJob.status?.attemptsTotal,
    ...traceFields(annotations?.[ANNOTATIONS.traceparent]),
  };
};
