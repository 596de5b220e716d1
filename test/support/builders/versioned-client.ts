import type { ZipJob } from '#crds/zip-job.ts';
import { isRecord } from '#runtime/kube/client/decode.ts';
import { KubeError } from '#runtime/kube/client/kube-error.ts';
import type { ObjectClient } from '#runtime/kube/types.ts';
import type { FakeObjects } from './fake-objects.ts';

function asRecord(value: unknown): Readonly<Record<string, unknown>> {
  return isRecord(value) ? value : {};
}

function textsOf(value: unknown): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(asRecord(value)).map(([name, text]) => [name, String(text)]));
}

export type VersionedClient = Pick<ObjectClient<ZipJob>, 'get' | 'apply' | 'mergePatch' | 'delete'>;

/**
 * An in-memory client for ZipJobs like the controller's: writes are based on a version, and finalizers delay
 * a deletion.
 */
export function createVersionedClient(
  zipJobs: FakeObjects<ZipJob>,
  onWrite: (before: ZipJob, after: ZipJob) => void,
  nowText: () => string,
): VersionedClient {
  async function live(
    { namespace, name }: { readonly namespace: string; readonly name: string },
    version: unknown,
  ): Promise<ZipJob> {
    const before = await zipJobs.client.get(namespace, name);
    if (!before) throw new KubeError('not found', { attempt: 'PATCH', code: 'NotFound' });
    if (before.metadata.resourceVersion !== version)
      throw new KubeError('the object has been modified', { attempt: 'PATCH', code: 'Conflict' });
    return before;
  }
  function isReleased({ metadata }: ZipJob): boolean {
    return metadata.deletionTimestamp !== undefined && (metadata.finalizers ?? []).length === 0;
  }
  function keep(before: ZipJob, changed: ZipJob): ZipJob {
    const after = zipJobs.put(changed);
    if (isReleased(after)) zipJobs.remove(after.metadata.namespace, after.metadata.name);
    onWrite(before, after);
    return after;
  }
  return {
    ...zipJobs.client,
    apply: async (object) => {
      const before = await live(object.metadata, object.metadata.resourceVersion);
      const { progress, upload, result, failure, sourceCheck } = before.status ?? {};
      const zippers = {
        ...(progress && { progress }),
        ...(upload && { upload }),
        ...(result && { result }),
        ...(failure && { failure }),
        ...(sourceCheck && { sourceCheck }),
      };
      const status = { ...zippers, ...asRecord(object['status']) };
      return keep(before, { ...before, status });
    },
    mergePatch: async (target, patch) => {
      const { resourceVersion, annotations: changed, ...metadata } = asRecord(patch['metadata']);
      const before = await live(target, resourceVersion);
      const merged: ZipJob['metadata'] = { ...before.metadata, ...metadata };
      const annotations = { ...before.metadata.annotations, ...textsOf(changed) };
      return keep(before, {
        ...before,
        metadata: { ...merged, ...(changed !== undefined && { annotations }) },
      });
    },
    delete: async (namespace, name, { uid } = {}) => {
      const before = await zipJobs.client.get(namespace, name);
      if (!before || before.metadata.uid !== uid) return false;
      keep(before, { ...before, metadata: { ...before.metadata, deletionTimestamp: nowText() } });
      return true;
    },
  };
}
