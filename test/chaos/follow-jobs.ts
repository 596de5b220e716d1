import { setTimeout as delay } from 'node:timers/promises';
import type { ZipJob } from '#crds/zip-job.ts';
import type { KubeApi } from '#tools/local-cluster/kube-api.ts';
import type { Observations } from './observations.ts';

export interface ZipJobList {
  readonly metadata: { readonly resourceVersion: string };
  readonly items: readonly ZipJob[];
}

const AGAIN_MS = 100;

/**
 * Watches the ZipJobs directly at the API server until the signal, so that no version is missed when
 * processes restart.
 */
export async function followJobs(
  admin: KubeApi,
  path: string,
  at: { readonly history: Observations; readonly signal: AbortSignal },
): Promise<void> {
  const { history, signal } = at;
  let version: string | undefined;
  const known = new Map<string, ZipJob>();
  /** Like every watcher it misses the versions between two connections, but never the current one. */
  async function catchUp(): Promise<string> {
    const { metadata, items } = await admin.get<ZipJobList>(path, signal);
    const names = new Set(items.map((job) => job.metadata.name));
    const gone = [...known.values()].filter((job) => !names.has(job.metadata.name));
    // The order of what happened between the connections is unknown.
    const at = performance.now();
    for (const job of gone) see('DELETED', job, at);
    for (const job of items) see('LISTED', job, at);
    return metadata.resourceVersion;
  }
  function see(event: string, job: ZipJob, at?: number): void {
    history.zipJob(event, job, at);
    if (event === 'DELETED') known.delete(job.metadata.name);
    else known.set(job.metadata.name, job);
  }
  async function follow(): Promise<void> {
    version ??= await catchUp();
    for await (const { type, object } of admin.watch<ZipJob>(path, version, signal)) {
      if (type === 'ERROR') {
        history.note(`the watch of the ZipJobs expired: ${JSON.stringify(object)}`);
        version = undefined;
        return;
      }
      version = object.metadata.resourceVersion ?? version;
      if (type !== 'BOOKMARK') see(type, object);
    }
  }
  while (!signal.aborted) {
    await follow().catch(() => undefined);
    await delay(AGAIN_MS, undefined, { signal }).catch(() => undefined);
  }
}
