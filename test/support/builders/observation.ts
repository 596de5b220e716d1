import type { Observation } from '#controller/zip-job/observation.ts';
import { FINALIZER } from '#crds/api-group.ts';
import type { ZipJob } from '#crds/zip-job.ts';
import { aZipBucket, aZipJob, aZipProject } from './objects.ts';

/** An observation of an accepted project with its bucket; the ZipJob has its finalizer. */
export function anObservation(change: Partial<Observation> & { zipJob?: ZipJob } = {}): Observation {
  return {
    zipJob: aZipJob({ metadata: { finalizers: [FINALIZER] } }),
    project: aZipProject(),
    bucket: aZipBucket(),
    job: undefined,
    pods: [],
    recovery: undefined,
    refusal: undefined,
    deliveries: new Map(),
    position: { state: 'none' },
    isNamespaceTerminating: false,
    ...change,
  };
}
