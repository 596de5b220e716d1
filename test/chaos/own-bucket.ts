/** The ZipBucket of a world, which a schedule may delete and the next one needs again. */
import { bucketResourceName, GROUP_VERSION, PLURALS } from '#crds/api-group.ts';
import { until } from '#test/support/until.ts';
import type { Project } from '#test/support/worlds/project.ts';
import { type KubeApi, KubeApiError } from '#tools/local-cluster/kube-api.ts';

interface Bucket {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: {
    readonly name: string;
    readonly namespace: string;
    readonly deletionTimestamp?: string;
  };
  readonly spec: unknown;
}

export interface OwnBucket {
  /** It has been deleted, and is not back yet. */
  readonly isDeleted: boolean;
  /** As a person does: it stays until no ZipJob names it any more. */
  delete(): Promise<void>;
  /** Makes it anew once it is gone, when it was deleted. No ZipJob may be left. */
  restore(): Promise<void>;
}

const RESTORE_LIMIT_MS = 60_000;

export const createOwnBucket = (
  project: Pick<Project, 'namespace' | 'bucketName'>,
  insist: <T>(what: string, ask: (admin: KubeApi) => Promise<T>) => Promise<T>,
): OwnBucket => {
  const path = `/apis/${GROUP_VERSION}/namespaces/${project.namespace}/${PLURALS.ZipBucket}`;
  const own = `${path}/${bucketResourceName('s3', project.bucketName)}`;
  let deleted: Bucket | undefined;

  /** False while that of before is there. */
  const create = async (admin: KubeApi, { apiVersion, kind, metadata, spec }: Bucket): Promise<boolean> => {
    const { name, namespace } = metadata;
    try {
      await admin.create(path, { apiVersion, kind, metadata: { name, namespace }, spec });
      return true;
    } catch (error) {
      if (!(error instanceof KubeApiError) || error.code !== 409) throw error;
      // An answer that was lost may have made it.
      const there = await admin.get<Bucket>(own);
      return there.metadata.deletionTimestamp === undefined;
    }
  };

  return {
    get isDeleted() {
      return deleted !== undefined;
    },
    delete: async () => {
      deleted = await insist('the ZipBucket', (admin) => admin.get<Bucket>(own));
      await insist('the deletion of the ZipBucket', (admin) => admin.remove(own, {}));
    },
    restore: async () => {
      const bucket = deleted;
      if (bucket === undefined) return;
      await until(
        'the bucket to be made anew',
        () => insist('the new ZipBucket', (admin) => create(admin, bucket)),
        { limitMs: RESTORE_LIMIT_MS, intervalMs: 200 },
      );
      deleted = undefined;
    },
  };
};
