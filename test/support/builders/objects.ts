/** Valid objects for tests of decisions; each test passes its changes. */

import { ANNOTATIONS, GROUP_VERSION, LABELS, PROJECT_NAME, ZIPPER_SERVICE_ACCOUNT } from '#crds/api-group.ts';
import type { ObjectMeta } from '#crds/object-meta.ts';
import type { ZipBucket } from '#crds/zip-bucket.ts';
import type { ZipJob, ZipJobSpec, ZipJobStatus } from '#crds/zip-job.ts';
import type { ZipProject } from '#crds/zip-project.ts';
import type { Job, Pod } from '#runtime/kube/resources.ts';

export const UUID = '6f1c0f4e-0f0a-4f5e-9d53-0c9a3a0a1b2c';
export const NAME = `zip-${UUID}`;
export const NAMESPACE = 'team-a';
export const NOW = new Date('2026-05-04T12:00:00Z');

/** RFC 3339 time this number of seconds before NOW. */
export function ago(seconds: number): string {
  return `${new Date(NOW.getTime() - seconds * 1000).toISOString().slice(0, 19)}Z`;
}

export interface ZipJobChange {
  readonly metadata?: Partial<ObjectMeta>;
  readonly spec?: Partial<ZipJobSpec>;
  readonly status?: ZipJobStatus;
}

export function aZipJob({ metadata, spec, status }: ZipJobChange = {}): ZipJob {
  return {
    apiVersion: GROUP_VERSION,
    kind: 'ZipJob',
    metadata: {
      name: NAME,
      namespace: NAMESPACE,
      uid: 'uid-zipjob',
      resourceVersion: '100',
      generation: 1,
      creationTimestamp: ago(60),
      annotations: { [ANNOTATIONS.acceptedAt]: ago(60) },
      ...metadata,
    },
    spec: {
      bucketRef: { name: 's3-archive' },
      service: 's3',
      key: 'out/archive.zip',
      filesFrom: {
        secretNames: [`${metadata?.name ?? NAME}-files-0`],
        encoding: 'gzip+json',
        count: 3,
        sha256: 'ab'.repeat(32),
      },
      metadata: '{"order":1.0}',
      ...spec,
    },
    ...(status && { status }),
  };
}

export function aZipBucket(change: Partial<ZipBucket['spec']> = {}): ZipBucket {
  return {
    apiVersion: GROUP_VERSION,
    kind: 'ZipBucket',
    metadata: { name: 's3-archive', namespace: NAMESPACE, uid: 'bucket-uid' },
    spec: { service: 's3', bucketName: 'archive', region: 'eu-central-1', ...change },
  };
}

export function aZipProject(): ZipProject {
  return {
    apiVersion: GROUP_VERSION,
    kind: 'ZipProject',
    metadata: {
      name: PROJECT_NAME,
      namespace: NAMESPACE,
      uid: 'uid-project',
      resourceVersion: '7',
      generation: 1,
    },
    spec: {},
  };
}

export interface JobChange {
  readonly metadata?: Partial<ObjectMeta>;
  readonly status?: NonNullable<Job['status']>;
}

export function aJob({ metadata, status }: JobChange = {}): Job {
  return {
    apiVersion: 'batch/v1',
    kind: 'Job',
    metadata: {
      name: NAME,
      namespace: NAMESPACE,
      uid: 'uid-job',
      creationTimestamp: ago(50),
      labels: { [LABELS.instance]: NAME },
      ownerReferences: [
        { apiVersion: GROUP_VERSION, kind: 'ZipJob', name: NAME, uid: 'uid-zipjob', controller: true },
      ],
      ...metadata,
    },
    spec: { template: { spec: { serviceAccountName: ZIPPER_SERVICE_ACCOUNT, containers: [] } } },
    ...(status && { status }),
  };
}

export interface PodChange {
  readonly metadata?: Partial<ObjectMeta>;
  readonly status?: NonNullable<Pod['status']>;
}

export function aPod(name: string, { metadata, status }: PodChange = {}): Pod {
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      name,
      namespace: NAMESPACE,
      uid: `uid-${name}`,
      creationTimestamp: ago(40),
      labels: { [LABELS.instance]: NAME },
      ownerReferences: [
        { apiVersion: 'batch/v1', kind: 'Job', name: NAME, uid: 'uid-job', controller: true },
      ],
      ...metadata,
    },
    spec: { nodeName: 'node-1', serviceAccountName: ZIPPER_SERVICE_ACCOUNT },
    status: { phase: 'Running', ...status },
  };
}
