/** When checkpoints are written. */
import type { ZipCheckpointStatus } from '#crds/zip-checkpoint.ts';
import type { ControllerStatus } from '#crds/zip-job.ts';
import type { Logger } from '#runtime/log/log.ts';
import type { CheckpointApi } from '../status/checkpoint-api.ts';
import type { Records } from './types.ts';

export interface CheckpointWriterDeps {
  readonly api: Pick<CheckpointApi, 'read' | 'write'>;
  /** Shortest time between two checkpoints. */
  readonly settings: { readonly checkpointIntervalMs: number };
  readonly log: Logger;
  /** What all checkpoints of this pod say about its upload. */
  readonly upload: Pick<ZipCheckpointStatus, 'uploadId' | 'owner' | 'plan'>;
  /**
   * Sequence of the job's newest checkpoint, if this pod has read it. `isOfUpload`: it is about the same upload. Absent: it is read
   * before the first write.
   */
  readonly last?: { readonly sequence: number; readonly isOfUpload: boolean };
  /** Parts that the store has confirmed to this pod. A checkpoint is written only if there are more than before. */
  readonly partsConfirmed: () => number;
  /** The records as they are now, which do not change afterwards. */
  readonly records: () => Records;
}

export interface CheckpointWriter {
  /** Follows a response to a status write: starts when there is an object to write to, and takes over the interval. */
  follow(status: Pick<ControllerStatus, 'checkpointed' | 'progressIntervalSeconds'> | undefined): void;
  /** Sequence of the newest checkpoint of this upload; undefined if there is none. */
  readonly sequence: number | undefined;
  /** Checkpoints that could not be written. */
  readonly failures: number;
  /**
   * Stops the schedule, and writes a last checkpoint if parts were confirmed since the last one.
   * @returns whether the newest checkpoint contains every confirmed part. Never throws
   */
  writeLast(limitMs: number): Promise<boolean>;
  /** Stops the schedule. A write that is under way is aborted. Never throws */
  stop(): Promise<void>;
}

export function createCheckpointWriter(_deps: CheckpointWriterDeps): CheckpointWriter {
  throw new Error('not written yet');
}
