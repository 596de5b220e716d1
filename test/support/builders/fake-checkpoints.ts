import type { ZipCheckpoint, ZipCheckpointStatus } from '#crds/zip-checkpoint.ts';
import { isRecord } from '#runtime/kube/client/decode.ts';
import { type ObjectClient, objectKey } from '#runtime/kube/types.ts';
import { createFakeObjects } from './fake-objects.ts';

/** ZipCheckpoints in memory: the controller applies their spec, and the pod in it writes their status. */
export function createFakeCheckpoints() {
  const objects = createFakeObjects<ZipCheckpoint>();
  function isSpec(value: unknown): value is ZipCheckpoint['spec'] {
    return isRecord(value) && typeof value['activePodUid'] === 'string';
  }
  const client: Pick<ObjectClient<ZipCheckpoint>, 'apply' | 'delete'> = {
    apply: ({ metadata, spec }) => {
      if (!isSpec(spec)) throw new Error('a ZipCheckpoint needs a spec');
      const before = objects.all().find((one) => objectKey(one) === objectKey({ metadata }));
      const object = { apiVersion: 'zipjobs.dev/v1alpha1', kind: 'ZipCheckpoint', metadata, spec } as const;
      return Promise.resolve(objects.put({ ...before, ...object }));
    },
    delete: (...call) => objects.client.delete(...call),
  };
  /** The only one, as its active pod reads it. */
  function read(podUid: string): ZipCheckpoint | undefined {
    return objects.all().find(({ spec }) => spec.activePodUid === podUid);
  }
  return {
    client,
    all: () => objects.all(),
    read,
    /** False if another pod is active, or the ZipCheckpoint is gone. */
    write: (podUid: string, status: ZipCheckpointStatus): boolean => {
      const before = read(podUid);
      if (before) objects.put({ ...before, status });
      return before !== undefined;
    },
  };
}
