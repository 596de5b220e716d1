/** New ZipJobs in the API server in memory, and how long each waits for the request that creates its Job. */
import { readFileSync } from 'node:fs';
import {
  ANNOTATIONS,
  bucketResourceName,
  FINALIZER,
  GROUP_VERSION,
  PLURALS,
  PROJECT_NAME,
} from '#crds/api-group.ts';
import { aZipBucket, aZipProject } from '#test/support/builders/objects.ts';
import { productionZipJob } from '#test/support/builders/production-objects.ts';
import type { WrittenObjects } from './crowded-written-objects.ts';

/** Sent to the server. */
export interface NewJobs {
  readonly count: number;
  /** The controller. */
  readonly pid: number;
}

/** Its response, once every new ZipJob has its Job. */
export interface NewJobTimes {
  /** From the event of a ZipJob to the request that creates its Job. */
  readonly ms: readonly number[];
  /** CPU time of the controller's main thread in the same time: other processes do not change it. */
  readonly cpuMs: readonly number[];
  /** Requests that created a Job, since the start of the server. */
  readonly requests: number;
}

const BUCKET_NAME = 'acme-production-archives';

function collection(namespace: string, plural: string): string {
  return `/apis/${GROUP_VERSION}/namespaces/${namespace}/${plural}`;
}

/** Creates the project and the bucket of the finished jobs of this namespace. */
export function createProject(objects: WrittenObjects, namespace: string): void {
  const bucket = aZipBucket({ bucketName: BUCKET_NAME });
  const name = bucketResourceName('s3', BUCKET_NAME);
  const conditions = [{ type: 'Ready', status: 'True', reason: 'Tested', message: '' }];
  for (const [plural, object] of [
    [
      PLURALS.ZipBucket,
      { ...bucket, metadata: { name, namespace, finalizers: [FINALIZER] }, status: { conditions } },
    ],
    [
      PLURALS.ZipProject,
      { ...aZipProject(), metadata: { name: PROJECT_NAME, namespace, finalizers: [FINALIZER] } },
    ],
  ] as const)
    objects.write({ method: 'POST', path: collection(namespace, plural), body: object });
}

/** As the API creates it now. */
function aNewZipJob(n: number, namespace: string): { readonly name: string; readonly zipJob: object } {
  const { metadata, spec } = productionZipJob(n) as { metadata: { name: string }; spec: object };
  const { name } = metadata;
  const annotations = { [ANNOTATIONS.acceptedAt]: new Date().toISOString() };
  return {
    name,
    zipJob: {
      apiVersion: GROUP_VERSION,
      kind: 'ZipJob',
      metadata: { name, namespace, generation: 1, annotations, finalizers: [FINALIZER] },
      spec,
    },
  };
}

/** CPU time of the main thread of a process. */
function cpuMsOf(pid: number): number {
  return Number(readFileSync(`/proc/${pid}/schedstat`, 'utf8').split(' ', 1)[0]) / 1e6;
}

export function createNewJobs(
  objects: WrittenObjects,
  { firstNumber, namespaces }: { readonly firstNumber: number; readonly namespaces: readonly string[] },
) {
  const waits = new Map<string, (atMs: number) => void>();
  let requests = 0;
  let number = firstNumber;
  async function add(): Promise<number> {
    const namespace = namespaces[number % namespaces.length] ?? '';
    const { name, zipJob } = aNewZipJob(number, namespace);
    number += 1;
    const { promise, resolve } = Promise.withResolvers<number>();
    waits.set(name, resolve);
    const sinceMs = performance.now();
    objects.write({ method: 'POST', path: collection(namespace, PLURALS.ZipJob), body: zipJob });
    return (await promise) - sinceMs;
  }
  return {
    /** Called for each request that creates a Job. */
    seeJob: (name: string, atMs: number): void => {
      requests += 1;
      waits.get(name)?.(atMs);
    },
    /**
     * One after another, so that a busy machine delays each but does not add its wait to the next. The first one is not
     * measured: when it has its Job, a leader works.
     */
    measure: async ({ count, pid }: NewJobs): Promise<NewJobTimes> => {
      await add();
      const ms: number[] = [];
      const cpuMs: number[] = [];
      for (let done = 0; done < count; done += 1) {
        const startMs = cpuMsOf(pid);
        ms.push(await add());
        cpuMs.push(cpuMsOf(pid) - startMs);
      }
      return { ms, cpuMs, requests };
    },
  };
}
