/** Writes the zipper's part of a ZipJob's status with server-side apply. */
import { GROUP_VERSION } from '#crds/api-group.ts';
import type { ZipperStatus } from '#crds/zip-job.ts';
import { type ApiServerOptions, openApiServer, readObject } from './api-server.ts';
import { decodeOwnZipJob, type OwnZipJob } from './own-zip-job.ts';
import { StatusError } from './status-error.ts';

export interface StatusTarget {
  readonly namespace: string;
  readonly name: string;
  /** A ZipJob of the same name with another uid is not ours. The API server does not check this: see `isAnother`. */
  readonly uid: string;
}

export interface StatusApi {
  /** Sets the zipper's fields to exactly these and returns the ZipJob as it then is. @throws StatusError */
  apply(status: ZipperStatus, signal?: AbortSignal): Promise<OwnZipJob>;
  close(): Promise<void>;
}

export interface StatusApiOptions extends ApiServerOptions {
  readonly target: StatusTarget;
}

/**
 * Whether the response is a ZipJob that was recreated under the same name. The API server accepts a status apply with
 * another uid. Our pod cannot write there, because it is not the active pod of that ZipJob.
 */
function isAnother({ metadata }: OwnZipJob, { uid }: StatusTarget): boolean {
  return metadata.uid !== uid;
}

/** Opens a client for one ZipJob. */
export async function createStatusApi(options: StatusApiOptions): Promise<StatusApi> {
  const { target } = options;
  const { namespace, name } = target;
  const object = { kind: 'ZipJob', namespace, name, whenGone: 'Superseded', connections: 2 } as const;
  const server = await openApiServer(options, object);
  const attempted = `Could not write the status of ZipJob ${namespace}/${name}`;
  const patch = {
    attempted,
    contentType: 'application/apply-patch+yaml',
    accept: 'application/json',
    query: '&force=true',
  };
  return {
    apply: async (status, signal) => {
      const body = JSON.stringify({ apiVersion: GROUP_VERSION, kind: 'ZipJob', metadata: target, status });
      const text = await server.patch({ ...patch, body }, signal);
      const zipJob = readObject(text, attempted, decodeOwnZipJob);
      if (isAnother(zipJob, target))
        throw new StatusError(`${attempted}: another ZipJob now has this name`, { code: 'Superseded' });
      return zipJob;
    },
    close: () => server.close(),
  };
}
