import type { ZipJob } from '#crds/zip-job.ts';
import { jobsPath, OWN, type World } from './world.ts';

/** A Job as a test changes it before it is sent. */
export interface JobBody {
  metadata: { name: string; annotations?: Record<string, string>; ownerReferences?: unknown };
  spec: {
    [field: string]: unknown;
    template: {
      metadata: { labels: Record<string, string>; annotations: Record<string, string> };
      spec: PodBody;
    };
  };
}

export interface PodBody {
  [field: string]: unknown;
  containers: [ContainerBody, ...Record<string, unknown>[]];
  volumes: Record<string, unknown>[];
}

interface ContainerBody {
  [field: string]: unknown;
  env: Record<string, unknown>[];
  volumeMounts: Record<string, unknown>[];
}

/** The Job of a ZipJob with everything that a Job can have: a file list, a token and a trace. */
export function fullJob(world: Pick<World, 'jobOf'>, zipJob: ZipJob): JobBody {
  const name = `zip-${'0'.repeat(8)}`;
  const listed = {
    ...zipJob,
    metadata: {
      ...zipJob.metadata,
      name,
      annotations: { 'zipjobs.dev/traceparent': `00-${'a'.repeat(32)}-${'b'.repeat(16)}-01` },
    },
    spec: { ...zipJob.spec, filesFrom: { secretNames: [`${name}-files-0`, `${name}-files-1`] } },
  } as unknown as ZipJob;
  return structuredClone(world.jobOf(listed)) as unknown as JobBody;
}

/** Sends a Job as the controller, without storing it. */
export function tryJob(world: World, body: unknown) {
  return world.controller.request('POST', `${jobsPath(OWN)}?dryRun=All`, { body });
}
