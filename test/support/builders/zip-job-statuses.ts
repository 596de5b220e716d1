/** Statuses of ZipJobs for tests of decisions. */
import type { Condition } from '#crds/conditions.ts';
import type {
  InheritedUpload,
  Progress,
  SourceCheck,
  UploadState,
  ZipJobStatus,
  ZipResult,
} from '#crds/zip-job.ts';
import { MOST_CHECK_FAILURES } from '#crds/zip-outcome.ts';
import { CONTRACT_VERSION } from '#crds/zipper-contract.ts';
import { ago, NAME } from './objects.ts';

export function aCondition(
  type: string,
  [status, reason]: readonly [Condition['status'], string],
  more: Partial<Condition> = {},
): Condition {
  return {
    type,
    status,
    reason,
    message: reason,
    lastTransitionTime: ago(30),
    observedGeneration: 1,
    ...more,
  };
}

export function progressOf(podUid: string, filesDone = 1): Progress {
  return {
    podUid,
    filesTotal: 3,
    filesDone,
    bytesRead: 1000,
    bytesUploaded: 500,
    display: `${filesDone}/3`,
    updatedAt: ago(5),
  };
}

export function anUpload(state: UploadState['state']): UploadState {
  return {
    uploadId: 'upload-1',
    state,
    partSize: 8_388_608,
  };
}

/** What the next pod is to continue: an upload of pod p0. */
export const INHERITED: InheritedUpload = {
  uploadId: 'upload-1',
  owner: 'uid-p0',
  partSize: 8_388_608,
  checkpoint: 4,
  resumes: 0,
};

/** Every 73rd of 10,000 files fails; half of them have an HTTP status. */
export function aSourceCheck(failed: number): SourceCheck {
  return {
    checked: 10_000,
    failed,
    failures: Array.from({ length: Math.min(failed, MOST_CHECK_FAILURES) }, (_, n) => ({
      fileIndex: n * 73,
      ...(n % 2 === 0 ? { code: 'SourceNotFound', httpStatus: 404 } : { code: 'SourceUnreachable' }),
    })),
    bytes: 1_024,
    lengths: 2,
  };
}

export function aResult(change: Partial<ZipResult> = {}): ZipResult {
  return {
    bytes: 4096,
    etag: '"etag"',
    entries: 3,
    seconds: 2,
    peakMemory: 100_000_000,
    retries: 0,
    contractVersion: CONTRACT_VERSION,
    ...change,
  };
}

/** Status of a job whose Job exists and whose pod (if named) is active. */
export function starting(pod?: string): ZipJobStatus {
  return {
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
      ...(pod === undefined ? [] : [aCondition('Recovered', ['False', 'PodActive'])]),
    ],
  };
}

/** Status of a job whose active pod has written progress. */
export function running(pod: string, more: ZipJobStatus = {}): ZipJobStatus {
  return {
    ...starting(pod),
    phase: 'Running',
    reason: 'Running',
    message: 'The zipper downloads files and uploads the archive.',
    apiStatus: 'processing',
    startedAt: ago(35),
    job: { name: NAME, uid: 'uid-job', podName: pod, podUid: `uid-${pod}`, node: 'node-1' },
    conditions: [
      aCondition('Accepted', ['True', 'Accepted']),
      aCondition('JobCreated', ['True', 'JobCreated']),
      aCondition('Recovered', ['False', 'PodActive']),
      aCondition('Running', ['True', 'Running'], {
        message: 'The zipper downloads files and uploads the archive.',
      }),
    ],
    progress: progressOf(`uid-${pod}`),
    ...more,
  };
}

/** Status of a job whose first pod ended and is being recovered. */
export function recoveringStatus(upload: UploadState | undefined, more: ZipJobStatus = {}): ZipJobStatus {
  const { job: _job, ...status } = running('p1', upload ? { upload } : {});
  return {
    ...status,
    job: { name: NAME, uid: 'uid-job', podName: 'p1' },
    attemptsTotal: 1,
    attempts: [{ n: 1, podUid: 'uid-p1', startedAt: ago(40), finishedAt: ago(2), class: 'transient' }],
    conditions: [
      aCondition('Accepted', ['True', 'Accepted']),
      aCondition('Recovered', ['False', 'Recovering']),
    ],
    ...more,
  };
}

export function finishedAs(
  phase: 'Succeeded' | 'Failed' | 'Cancelled',
  more: ZipJobStatus = {},
): ZipJobStatus {
  return {
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
  };
}
