/**
 * Samples with every field of their types, including optional ones: the compiler refuses a sample with a missing or an
 * extra field.
 */
import type { Condition } from '#crds/conditions.ts';
import type { ZipBucket } from '#crds/zip-bucket.ts';
import type { ZipCheckpoint } from '#crds/zip-checkpoint.ts';
import type * as zip from '#crds/zip-job.ts';
import type { ZipProject } from '#crds/zip-project.ts';
import type { ZipToken } from '#crds/zip-token.ts';

type Scalar = string | number | boolean | null | undefined;
type Complete<T> = T extends Scalar
  ? T
  : T extends readonly (infer E)[]
    ? readonly Complete<E>[]
    : string extends keyof T
      ? T
      : { readonly [K in keyof T]-?: Complete<Exclude<T[K], undefined>> };

const TIME = '2026-01-01T00:00:00Z';
const CA_BUNDLE = '-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n';
const condition: Complete<Condition> = {
  type: 'Ready',
  status: 'True',
  reason: 'r',
  message: 'm',
  lastTransitionTime: TIME,
  observedGeneration: 1,
};
const upload: Complete<zip.AttemptUpload> = {
  uploadId: 'u',
  owner: 'p',
  state: 'open',
  partSize: 1,
  parts: 1,
  checkpoint: 1,
};
const archive: Complete<zip.ArchiveContents> = {
  bytes: 1,
  entries: 1,
  skipped: [0],
  skippedCodes: { SourceNotFound: 1 },
  lengthUnverified: [0],
  contentEncoded: [0],
  renamed: { total: 1, files: [{ fileIndex: 0, name: 'n' }] },
  sha256: '0',
};

const spec: Complete<zip.ZipJobSpec> = {
  bucketRef: { name: 's3-b' },
  service: 's3',
  key: 'k',
  files: [{ url: 'https://a/b', filename: 'b', size: 1, sha256: '0', crc32: '0', contentType: 'text/plain' }],
  filesFrom: { secretNames: ['n'], encoding: 'gzip+json', count: 1, sha256: '0' },
  sourceBuckets: ['s3-sources'],
  metadata: '{}',
  compression: 'store',
  onSourceError: 'Fail',
  manifestEntry: 'm',
  manifestFormat: 'json',
  fixedModificationTime: TIME,
  activeDeadlineSeconds: 60,
  startDeadlineSeconds: 60,
  maxAttempts: 1,
  ttlSecondsAfterFinished: { succeeded: 1, failed: 1 },
  priorityClassName: 'p',
  resources: { requests: { cpu: '1' }, limits: { cpu: '1' } },
  queueName: 'q',
  onConflict: 'replace',
  sha256: false,
  portableNames: 'keep',
  duplicateNames: 'rename',
  objectOptions: {
    contentDisposition: 'd',
    contentType: 't',
    cacheControl: 'c',
    storageClass: 's',
    metadata: { n: 'v' },
    tags: { n: 'v' },
  },
  sequential: true,
  webhook: {
    url: 'https://a/',
    events: ['COMPLETED'],
    endpoints: [{ name: 'n', url: 'https://b/', events: ['COMPLETED'] }],
  },
  suspend: false,
  cancel: false,
};

const status: Complete<zip.ZipJobStatus> = {
  observedGeneration: 1,
  phase: 'Queued',
  reason: 'r',
  message: 'm',
  apiStatus: 'none',
  acceptedAt: TIME,
  startedAt: TIME,
  finishedAt: TIME,
  duration: '1s',
  job: { name: 'n', uid: 'u', podName: 'p', podUid: 'p', node: 'n' },
  attempts: [
    {
      n: 1,
      podUid: 'p',
      startedAt: TIME,
      finishedAt: TIME,
      exitCode: 0,
      class: 'success',
      reason: 'r',
      message: 'm',
      upload,
      uploadAborted: true,
      abortFailures: 1,
      queuedSeconds: 1,
      completeSentAt: TIME,
      resumedParts: 1,
      resumedBytes: 1,
      refusal: 'UploadGone',
    },
  ],
  attemptsTotal: 1,
  checkpointed: true,
  inherits: { uploadId: 'u', owner: 'p', partSize: 1, checkpoint: 1, resumes: 1, adoptedBy: 'p' },
  progressIntervalSeconds: 4,
  progress: {
    podUid: 'p',
    filesTotal: 1,
    filesDone: 1,
    bytesRead: 1,
    bytesUploaded: 1,
    currentFile: 0,
    bytesKnown: 1,
    bytesTotal: 1,
    bytesPerSecond: 1,
    estimatedEndAt: TIME,
    display: '1/1',
    percent: '100%',
    size: '7 B',
    updatedAt: TIME,
  },
  upload: {
    ...upload,
    archive,
    partsDigest: '0',
    resumedParts: 1,
    resumedBytes: 1,
    refusal: 'UploadGone',
    checkpointFailures: 1,
  },
  result: {
    ...archive,
    etag: 'e',
    seconds: 1,
    fetchSeconds: 1,
    peakMemory: 1,
    retries: 0,
    contractVersion: 1,
    resumes: 1,
  },
  failure: { code: 'c', message: 'm', fileIndex: 0, httpStatus: 404, retriable: false, upload: 'open' },
  sourceCheck: {
    checked: 1,
    failed: 1,
    failures: [{ fileIndex: 0, code: 'c', httpStatus: 404 }],
    bytes: 0,
    lengths: 0,
  },
  webhook: {
    state: 'Pending',
    deliveryId: 'd',
    attempts: 1,
    lastStatus: 200,
    nextAttemptAt: TIME,
    deliveredAt: TIME,
    replayNonce: 'n',
    log: [{ at: TIME, durationMs: 1, bytes: 2, attempt: 1, status: 200, error: 'timeout' }],
    endpoints: [
      {
        name: 'n',
        reason: 'EndpointRemoved',
        state: 'Exhausted',
        deliveryId: 'd',
        attempts: 1,
        lastStatus: 200,
        nextAttemptAt: TIME,
        deliveredAt: TIME,
        replayNonce: 'n',
        log: [{ at: TIME, durationMs: 1, bytes: 2, attempt: 1, status: 200, error: 'timeout' }],
      },
    ],
  },
  conditions: [condition],
};

const webIdentity = { roleArn: 'r', audience: 'a', stsEndpoint: 's', stsRegion: 'e', durationSeconds: 900 };
const bucket: Complete<Pick<ZipBucket, 'spec' | 'status'>> = {
  spec: {
    service: 's3',
    bucketName: 'b',
    region: 'eu-west-1',
    host: 'h',
    accountId: 'a',
    caBundle: CA_BUNDLE,
    endpoint: 'https://e',
    credentials: { webIdentity },
    readable: true,
    objectOptions: {
      storageClass: 'S',
      cacheControl: 'c',
      contentDisposition: 'd',
      acl: 'private',
      serverSideEncryption: 'aws:kms',
      kmsKeyId: 'k',
      bucketKeyEnabled: true,
      metadata: { m: '1' },
      tags: { t: '1' },
      onConflict: 'fail',
    },
  },
  status: {
    conditions: [condition],
    activeJobs: 1,
    test: { nonce: '1', finishedAt: '2026-01-01T00:00:00Z' },
  },
};

const token: Complete<Pick<ZipToken, 'spec' | 'status'>> = {
  spec: { displayName: 'd', sha256: '0', masked: 'zj_a...abcd', permissions: ['create'], createdBy: 'c' },
  status: { lastUsedAt: TIME, conditions: [condition] },
};

const LIMITS = {
  activeJobs: 1,
  filesPerJob: 1,
  archiveBytes: 1,
  requestsPerMinute: 1,
  createsPerSecond: 1,
  filesPerSecond: 1,
  storedJobs: 1,
  storedBytes: 1,
};

/** Of the default endpoint and of each other one. */
const ENDPOINT_STATE = {
  host: 'a',
  endpoint: 'e',
  state: 'Enabled',
  reason: 'Gone',
  lastDelivery: TIME,
  failingSince: TIME,
  enabledNonce: 'n',
  test: { nonce: 'n', at: TIME, durationMs: 1, bytes: 2, status: 200, error: 'timeout' },
} as const;
const project: Complete<Pick<ZipProject, 'spec' | 'status'>> = {
  spec: {
    displayName: 'd',
    historyRetentionDays: 1,
    webhook: {
      url: 'https://a/',
      events: ['COMPLETED'],
      enabled: true,
      endpoints: [{ name: 'n', url: 'https://b/', events: ['COMPLETED'], enabled: true }],
    },
    limits: LIMITS,
    jobDefaults: {
      compression: 'store',
      onSourceError: 'Fail',
      portableNames: 'keep',
      duplicateNames: 'rename',
      onConflict: 'fail',
      objectOptions: spec.objectOptions,
      sha256: true,
      fixedModificationTime: TIME,
      sequential: true,
      activeDeadlineSeconds: 60,
      maxAttempts: 1,
      startDeadlineSeconds: 5,
      ttlSecondsAfterFinished: { succeeded: 1, failed: 1 },
      manifestEntry: 'm',
      manifestFormat: 'bagit',
      queueName: 'q',
    },
    callerOptions: { closed: ['sha256'] },
    pods: {
      priorityClassName: 'low',
      resources: { requests: { cpu: '1' }, limits: { cpu: '1' } },
      nodeSelector: { disk: 'fast' },
      tolerations: [{ key: 'k', operator: 'Equal', value: 'v', effect: 'NoExecute', tolerationSeconds: 1 }],
    },
  },
  status: {
    class: { name: 'c', limits: LIMITS },
    conditions: [condition],
    historyPurge: { nonce: 'n', startedAt: TIME, finishedAt: TIME, records: 1 },
    webhook: {
      ...ENDPOINT_STATE,
      endpoints: [{ name: 'n', ...ENDPOINT_STATE }],
    },
  },
};

const checkpoint: Complete<Pick<ZipCheckpoint, 'spec' | 'status'>> = {
  spec: { zipJobUid: 'u', activePodUid: 'p' },
  status: { sequence: 1, uploadId: 'u', owner: 'p', plan: '0', records: 'AAAA' },
};

export const SAMPLES = {
  ZipJob: { spec, status },
  ZipBucket: bucket,
  ZipToken: token,
  ZipProject: project,
  ZipCheckpoint: checkpoint,
};
