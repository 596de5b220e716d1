import { setTimeout as delay } from 'node:timers/promises';
import type { ZipJob } from '#crds/zip-job.ts';
import type { KubeApi } from '../cluster/kube-api.ts';
import type { History } from './history.ts';

export interface ZipJobList {
  readonly metadata: { readonly resourceVersion: string };
  readonly items: readonly ZipJob[];
}

const AGAIN_MS = 100;

/** Follows the ZipJobs straight at the API server until the signal, so that no version is missed, whatever restarts. */
export const followJobs = async (
  admin: KubeApi,
  path: string,
  at: { readonly history: History; readonly signal: AbortSignal },
): Promise<void> => {
  const { history, signal } = at;
  let version: string | undefined;
  const follow = async (): Promise<void> => {
    version ??= (await admin.get<ZipJobList>(path, signal)).metadata.resourceVersion;
    for await (const { type, object } of admin.watch<ZipJob>(path, version, signal)) {
      if (type === 'ERROR') {
        history.note(`the watch of the ZipJobs lost its place: ${JSON.stringify(object)}`);
        version = undefined;
        return;
      }
      version = object.metadata.resourceVersion ?? version;
      if (type !== 'BOOKMARK') history.zipJob(type, object);
    }
  };
  while (!signal.aborted) {
    await follow().catch(() => undefined);
    await delay(AGAIN_MS, undefined, { signal }).catch(() => undefined);
  }
};
