import type { ZipBucket } from '#crds/zip-bucket.ts';
import type { ZipJob } from '#crds/zip-job.ts';

export const bucket: ZipBucket = {
  apiVersion: 'zipjobs.dev/v1alpha1',
  kind: 'ZipBucket',
  metadata: { name: 's3-archives', namespace: 'red', uid: 'b' },
  spec: { service: 's3', bucketName: 'archives' },
};

export const zipJob: ZipJob = {
  apiVersion: 'zipjobs.dev/v1alpha1',
  kind: 'ZipJob',
  metadata: { name: 'zip-a', namespace: 'red', uid: 'u' },
  spec: {
    bucketRef: { name: 's3-archives' },
    key: 'a.zip',
    filesFrom: { secretNames: ['zip-a-files-0'], encoding: 'gzip+json', count: 1, sha256: '' },
  },
};
