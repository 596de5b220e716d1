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
  /** It was deleted and not yet restored. */
  readonly isDeleted: boolean;
  /** Deletes it like a user: it remains until no ZipJob refers to it. */
  delete(): Promise<void>;
  /** Creates it again after a deletion, once it is gone. No ZipJob may be left. */
  restore(): Promise<void>;
}

const RESTORE_LIMIT_MS = 60_000;

export function createOwnBucket(
  project: Pick<Project, 'namespace' | 'bucketName'>,
  retry: <T>(what: string, ask: (admin: KubeApi) => Promise<T>) => Promise<T>,
): OwnBucket {
  const path = `/apis/${GROUP_VERSION}/namespaces/${project.namespace}/${PLURALS.ZipBucket}`;
  const own = `${path}/${bucketResourceName('s3', project.bucketName)}`;
  let deleted: Bucket | undefined;

  /** Returns false while the old bucket exists. */
  async function create(admin: KubeApi, { apiVersion, kind, metadata, spec }: Bucket): Promise<boolean> {
    const { name, namespace } = metadata;
    try {
      await admin.create(path, { apiVersion, kind, metadata: { name, namespace }, spec });
      return true;
    } catch (error) {
      if (!(error instanceof KubeApiError) || error.code !== 409) throw error;
      // An earlier request whose response was lost may have created it.
      const there = await admin.get<Bucket>(own);
      return there.metadata.deletionTimestamp === undefined;
    }
  }

  return {
    get isDeleted() {
      return deleted !== undefined;
    },
    delete: async () => {
      deleted = await retry('the ZipBucket', (admin) => admin.get<Bucket>(own));
      await retry('the deletion of the ZipBucket', (admin) => admin.remove(own, {}));
    },
    restore: async () => {
      const bucket = deleted;
      if (bucket === undefined) return;
      await until(
        'the bucket to be created again',
        () => retry('the new ZipBucket', (admin) => create(admin, bucket)),
        { limitMs: RESTORE_LIMIT_MS, intervalMs: 200 },
      );
      deleted = undefined;
    },
  };
}
