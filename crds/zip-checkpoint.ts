/**
 * What a later pod of a ZipJob needs to continue its upload. It has the name of the ZipJob, which owns it. Only large jobs have
 * one, and it is deleted when the job ends. Admission policies see only the object that is written, so it says itself which pod may
 * write it.
 */
import type { GROUP_VERSION } from './api-group.ts';
import type { ObjectMeta } from './object-meta.ts';

/** Written by the controller. */
export interface ZipCheckpointSpec {
  readonly zipJobUid: string;
  /** Only this pod may write the status. */
  readonly activePodUid: string;
}

/** Written by the active pod, all fields at once. */
export interface ZipCheckpointStatus {
  /** Counts the checkpoints of the job from 1, over all of its pods. Never falls. */
  readonly sequence: number;
  readonly uploadId: string;
  /** podUid of the pod that created the upload, as in the metadata of its object. */
  readonly owner: string;
  /** SHA-256 (hex) of everything that the bytes of the archive depend on. Another plan cannot continue the upload. */
  readonly plan: string;
  /** Base64 of the records of files and parts (`zipper-image/resume/document.ts`). No URL, header or name. */
  readonly records: string;
}

export interface ZipCheckpoint {
  readonly apiVersion: typeof GROUP_VERSION;
  readonly kind: 'ZipCheckpoint';
  readonly metadata: ObjectMeta;
  readonly spec: ZipCheckpointSpec;
  readonly status?: ZipCheckpointStatus;
}

/** Longest `records` in characters. etcd refuses requests from 1.5 MiB. */
export const MOST_RECORDS_LENGTH = 1_200_000;
