/**
 * Reads and writes the ZipCheckpoint of one ZipJob with merge patches of its status. Only the active pod may, so a read is a write
 * that changes nothing.
 */
import type { ZipCheckpointStatus } from '#crds/zip-checkpoint.ts';
import { openApiServer, readObject } from './api-server.ts';
import { decodeOwnCheckpoint } from './own-checkpoint.ts';
import type { StatusApiOptions } from './status-api.ts';
import { StatusError } from './status-error.ts';

export interface CheckpointApi {
  /** The newest checkpoint; undefined if there is none, or no object. @throws StatusError as `write` */
  read(signal?: AbortSignal): Promise<ZipCheckpointStatus | undefined>;
  /**
   * Replaces the checkpoint.
   * @throws StatusError: `Superseded` if this pod is not active, or the object belongs to another ZipJob; `ApiServerUnavailable`
   *   otherwise, with `isGone` if there is no object, and `isRefusal` if the API server refused the request.
   */
  write(status: ZipCheckpointStatus, signal?: AbortSignal): Promise<void>;
  close(): Promise<void>;
}

/** Without the status, which can be a megabyte. Its own connection, so that progress never waits for it. */
const METADATA_ONLY = 'application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1';

/** Opens a client for the ZipCheckpoint of the ZipJob `target`. Sends nothing yet. */
export async function createCheckpointApi(options: StatusApiOptions): Promise<CheckpointApi> {
  const { namespace, name, uid } = options.target;
  const whenGone = 'ApiServerUnavailable';
  const object = { kind: 'ZipCheckpoint', namespace, name, whenGone, connections: 1 } as const;
  const server = await openApiServer(options, object);
  const contentType = 'application/merge-patch+json';
  return {
    read: async (signal) => {
      const attempted = `Could not read ZipCheckpoint ${namespace}/${name}`;
      try {
        const patch = { attempted, contentType, accept: 'application/json', body: '{}' };
        const { spec, status } = readObject(
          await server.patch(patch, signal),
          attempted,
          decodeOwnCheckpoint,
        );
        if (spec.zipJobUid === uid) return status;
        throw new StatusError(`${attempted}: it belongs to another ZipJob`, { code: 'Superseded' });
      } catch (error) {
        if (error instanceof StatusError && error.isGone) return undefined;
        throw error;
      }
    },
    write: async (status, signal) => {
      const attempted = `Could not write ZipCheckpoint ${namespace}/${name}`;
      const body = JSON.stringify({ status });
      await server.patch({ attempted, contentType, accept: METADATA_ONLY, body }, signal);
    },
    close: () => server.close(),
  };
}
