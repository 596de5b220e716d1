/** Valid objects with a change each, for tests of decisions. */
import {
  ANNOTATIONS,
  FINALIZER,
  GROUP_VERSION,
  LABELS,
  PROJECT_NAME,
  ZIPPER_CONTAINER,
} from '#crds/api-group.ts';
import type { Condition } from '#crds/conditions.ts';
import type { ObjectMeta } from '#crds/object-meta.ts';
import type { ZipBucket } from '#crds/zip-bucket.ts';
import type { Progress, UploadState, ZipJob, ZipJobSpec, ZipJobStatus, ZipResult } from '#crds/zip-job.ts';
import type { ZipProject } from '#crds/zip-project.ts';
import { CONTRACT_VERSION, type TerminationMessage } from '#crds/zipper-contract.ts';
import type { Job, Pod } from '#runtime/kube/resources.ts';
import { type ControllerConfig, readControllerConfig } from '../../controller/config.ts';
import type { Observation } from '../../controller/observation.ts';

export const UUID = '6f1c0f4e-0f0a-4f5e-9d53-0c9a3a0a1b2c';
export const NAME = `zip-${UUID}`;
export const NAMESPACE = 'team-a';
export const NOW = new Date('2026-05-04T12:00:00Z');

/** RFC 3339 time so many seconds before NOW. */
export const ago = (seconds: number): string =>
  `${new Date(NOW.getTime() - seconds * 1000).toISOString().slice(0, 19)}Z`;

export const aConfig = (change: Partial<ControllerConfig> = {}): ControllerConfig => ({
  ...readControllerConfig({
    POD_NAME: 'controller-0',
    POD_NAMESPACE: 'zipjobs-system',
    ZIPPER_IMAGE: 'zipjobs-zipper:test',
  }),
  ...change,
});

export interface ZipJobChange {
  readonly metadata?: Partial<ObjectMeta>;
  readonly spec?: Partial<ZipJobSpec>;
  readonly status?: ZipJobStatus;
}

export const aZipJob = ({ metadata, spec, status }: ZipJobChange = {}): ZipJob => ({
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
});

export const aZipBucket = (change: Partial<ZipBucket['spec']> = {}): ZipBucket => ({
  apiVersion: GROUP_VERSION,
  kind: 'ZipBucket',
  metadata: { name: 's3-archive', namespace: NAMESPACE },
  spec: { service: 's3', bucketName: 'archive', region: 'eu-central-1', ...change },
});

export const aZipProject = (): ZipProject => ({
  apiVersion: GROUP_VERSION,
  kind: 'ZipProject',
  metadata: { name: PROJECT_NAME, namespace: NAMESPACE, uid: 'uid-project', generation: 1 },
  spec: {},
});

export interface JobChange {
  readonly metadata?: Partial<ObjectMeta>;
  readonly status?: NonNullable<Job['status']>;
}

export const aJob = ({ metadata, status }: JobChange = {}): Job => ({
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
  ...(status && { status }),
});

export interface PodChange {
  readonly metadata?: Partial<ObjectMeta>;
  readonly status?: NonNullable<Pod['status']>;
}

export const aPod = (name: string, { metadata, status }: PodChange = {}): Pod => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: {
    name,
    namespace: NAMESPACE,
    uid: `uid-${name}`,
    creationTimestamp: ago(40),
    labels: { [LABELS.instance]: NAME },
    ownerReferences: [{ apiVersion: 'batch/v1', kind: 'Job', name: NAME, uid: 'uid-job', controller: true }],
    ...metadata,
  },
  spec: { containers: [], nodeName: 'node-1' },
  status: { phase: 'Running', ...status },
});

export interface Ending {
  readonly exitCode: number;
  readonly reason?: string;
  readonly message?: TerminationMessage | string;
}

const textOf = (message: Ending['message']): { message?: string } => {
  if (message === undefined) return {};
  return { message: typeof message === 'string' ? message : JSON.stringify(message) };
};

/** Status of a pod whose zipper has ended. */
export const ended = ({ exitCode, reason, message }: Ending): NonNullable<Pod['status']> => ({
  phase: exitCode === 0 ? 'Succeeded' : 'Failed',
  containerStatuses: [
    {
      name: ZIPPER_CONTAINER,
      image: 'zipjobs-zipper:test',
      imageID: '',
      ready: false,
      restartCount: 0,
      state: {
        terminated: {
          exitCode,
          ...textOf(message),
          reason: reason ?? (exitCode === 0 ? 'Completed' : 'Error'),
        },
      },
    },
  ],
});

export const disrupted = (exitCode: number): NonNullable<Pod['status']> => ({
  ...ended({ exitCode }),
  conditions: [{ type: 'DisruptionTarget', status: 'True', reason: 'EvictionByEvictionAPI' }],
});

export const waitingFor = (reason: string, message: string): NonNullable<Pod['status']> => ({
  phase: 'Pending',
  containerStatuses: [
    {
      name: ZIPPER_CONTAINER,
      image: 'zipjobs-zipper:test',
      imageID: '',
      ready: false,
      restartCount: 0,
      state: { waiting: { reason, message } },
    },
  ],
});

export const failureMessage = (
  code: string,
  more: { message?: string; fileIndex?: number; httpStatus?: number; retriable?: boolean } = {},
): TerminationMessage => ({
  contractVersion: CONTRACT_VERSION,
  mode: 'archive',
  failure: { code, retriable: false, ...more },
});

export const aCondition = (
  type: string,
  [status, reason]: readonly [Condition['status'], string],
  more: Partial<Condition> = {},
): Condition => ({
  type,
  status,
  reason,
  message: reason,
  lastTransitionTime: ago(30),
  observedGeneration: 1,
  ...more,
});

export const progressOf = (podUid: string, filesDone = 1): Progress => ({
  podUid,
  filesTotal: 3,
  filesDone,
  bytesRead: 1000,
  bytesUploaded: 500,
  display: `${filesDone}/3`,
  updatedAt: ago(5),
});

export const anUpload = (state: UploadState['state']): UploadState => ({
  uploadId: 'upload-1',
  state,
  partSize: 8_388_608,
});

export const aResult = (change: Partial<ZipResult> = {}): ZipResult => ({
  bytes: 4096,
  etag: '"etag"',
  entries: 3,
  seconds: 2,
  peakMemory: 100_000_000,
  retries: 0,
  contractVersion: CONTRACT_VERSION,
  ...change,
});

/** Status of a job whose Job exists and whose pod (if named) is in charge. */
export const starting = (pod?: string): ZipJobStatus => ({
  observedGeneration: 1,
  phase: 'Starting',
  reason: 'JobCreated',
  message: 'The Kubernetes Job was created.',
  apiStatus: 'none',
  acceptedAt: ago(60),
  job: { name: NAME, uid: 'uid-job', ...(pod !== undefined && { podName: pod, podUid: `uid-${pod}` }) },
  conditions: [
    aCondition('Accepted', ['True', 'Accepted']),
    aCondition('JobCreated', ['True', 'JobCreated']),
    ...(pod === undefined ? [] : [aCondition('Settled', ['False', 'PodInCharge'])]),
  ],
});

/** Status of a job whose pod in charge has written progress. */
export const running = (pod: string, more: ZipJobStatus = {}): ZipJobStatus => ({
  ...starting(pod),
  phase: 'Running',
  reason: 'Running',
  message: 'Files are fetched and the archive is written.',
  apiStatus: 'processing',
  startedAt: ago(35),
  job: { name: NAME, uid: 'uid-job', podName: pod, podUid: `uid-${pod}`, node: 'node-1' },
  conditions: [
    aCondition('Accepted', ['True', 'Accepted']),
    aCondition('JobCreated', ['True', 'JobCreated']),
    aCondition('Settled', ['False', 'PodInCharge']),
    aCondition('Running', ['True', 'Running'], { message: 'Files are fetched and the archive is written.' }),
  ],
  progress: progressOf(`uid-${pod}`),
  ...more,
});

export const finishedAs = (
  phase: 'Succeeded' | 'Failed' | 'Cancelled',
  more: ZipJobStatus = {},
): ZipJobStatus => ({
  observedGeneration: 1,
  phase,
  reason: phase === 'Succeeded' ? 'Uploaded' : phase === 'Failed' ? 'SourceNotFound' : 'Cancelled',
  message: 'over',
  apiStatus: phase === 'Succeeded' ? 'succeeded' : 'failed',
  acceptedAt: ago(60),
  startedAt: ago(35),
  finishedAt: ago(10),
  duration: '25s',
  webhook: { state: 'NotConfigured' },
  ...more,
});

/** An observation of an accepted project with its bucket; the ZipJob has its finalizer. */
export const anObservation = (change: Partial<Observation> & { zipJob?: ZipJob } = {}): Observation => ({
  zipJob: aZipJob({ metadata: { finalizers: [FINALIZER] } }),
  project: aZipProject(),
  bucket: aZipBucket(),
  rivals: [],
  job: undefined,
  pods: [],
  settle: undefined,
  refusal: undefined,
  delivery: { kind: 'idle' },
  slot: { kind: 'granted' },
  ...change,
});
