/** Reads and writes the ZipCheckpoint of one ZipJob over HTTPS. Only the active pod may, so a read is a write that changes nothing. */
import type { ZipCheckpointStatus } from '#crds/zip-checkpoint.ts';
import type { StatusApiOptions } from './status-api.ts';

export interface CheckpointApi {
  /** The newest checkpoint; undefined if there is none. @throws StatusError as `write` */
  read(signal?: AbortSignal): Promise<ZipCheckpointStatus | undefined>;
  /**
   * Replaces the checkpoint.
   * @throws StatusError: `Superseded` if this pod is not active, or the object belongs to another ZipJob; otherwise
   *   `ApiServerUnavailable`: `httpStatus` 404 if the object is gone, `isRefusal` if the API server refused the request.
   */
  write(status: ZipCheckpointStatus, signal?: AbortSignal): Promise<void>;
  close(): Promise<void>;
}

/** Opens a client for the ZipCheckpoint of the ZipJob `target`. Sends nothing. */
export async function createCheckpointApi(_options: StatusApiOptions): Promise<CheckpointApi> {
  throw new Error('not written yet');
}
