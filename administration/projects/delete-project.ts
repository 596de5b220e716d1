import { PROJECT_NAME } from '#crds/api-group.ts';
import type { ZipBucket } from '#crds/zip-bucket.ts';
import type { ZipProject } from '#crds/zip-project.ts';
import type { ZipToken } from '#crds/zip-token.ts';
import { inBatches } from '#runtime/collections/in-batches.ts';
import type { Secret } from '#runtime/kube/resources.ts';
import type { KubeObject, ObjectClient } from '#runtime/kube/types.ts';
import type { Clock } from '#runtime/time/clock.ts';
import { deleteBucketSecret } from '../buckets/bucket-secret.ts';
import { deleteCountedBucket } from '../buckets/delete-counted-bucket.ts';
import { noProject } from '../changes/required-project.ts';
import { AdministrationError } from '../errors/administration-error.ts';

type Deleter<T extends KubeObject> = Pick<ObjectClient<T>, 'list' | 'delete'>;

export interface DeleteProjectOptions {
  readonly projects: Pick<ObjectClient<ZipProject>, 'delete'>;
  readonly tokens: Deleter<ZipToken>;
  readonly buckets: Deleter<ZipBucket> & Pick<ObjectClient<ZipBucket>, 'get'>;
  readonly secrets: Pick<ObjectClient<Secret>, 'mergePatch' | 'delete'>;
  readonly clock: Clock;
}

/** What the deletion of a project leaves in its namespace unless it is chosen. */
export interface AlsoDelete {
  /** Otherwise they are valid again in a new project of the namespace. */
  readonly tokens?: boolean;
  /** With their credentials. Otherwise the deletion of the project ends at its time limit. */
  readonly buckets?: boolean;
}

export interface DeletedProject {
  readonly tokens: number;
  readonly buckets: number;
  /** Why something that was chosen is still there. */
  readonly problems: readonly string[];
}

/** Concurrent calls to the API server. */
const AT_ONCE = 5;

function problemOf(error: unknown): string {
  if (error instanceof AdministrationError) return error.message;
  throw error;
}

interface Deleted<T> {
  readonly deleted: readonly T[];
  readonly problems: readonly string[];
}

/** A failure of one object does not stop the others. */
async function deleteEach<T>(
  objects: readonly T[],
  deleteOne: (object: T) => Promise<unknown>,
): Promise<Deleted<T>> {
  const problems: string[] = [];
  const deleted: T[] = [];
  await inBatches(objects, AT_ONCE, async (object) => {
    await deleteOne(object).then(
      () => deleted.push(object),
      (error: unknown) => problems.push(problemOf(error)),
    );
  });
  return { deleted, problems };
}

/** Deletes every object of one kind. */
async function deleteAll<T extends KubeObject>(
  client: Deleter<T>,
  namespace: string,
  deleteOne: (object: T) => Promise<unknown>,
): Promise<Deleted<T>> {
  try {
    return await deleteEach(await client.list({ namespace }), deleteOne);
  } catch (error) {
    return { deleted: [], problems: [problemOf(error)] };
  }
}

/** Jobs that are being cancelled keep their bucket until they have removed what they uploaded. */
function deleteSecretOf({ buckets, secrets }: DeleteProjectOptions) {
  return async (bucket: ZipBucket): Promise<void> => {
    const { namespace, name } = bucket.metadata;
    await deleteBucketSecret(secrets, bucket, { now: await buckets.get(namespace, name), mayBeInUse: true });
  };
}

const NOTHING = { deleted: [], problems: [] } as const;

/**
 * Starts the deletion of a project. Its tokens are invalid from then on, so they and the buckets are deleted afterwards: if the
 * user may not delete the project, nothing changes.
 * @throws AdministrationError NotFound, Forbidden
 */
export async function deleteProject(
  options: DeleteProjectOptions,
  namespace: string,
  also: AlsoDelete,
): Promise<DeletedProject> {
  const { projects, tokens, buckets, clock } = options;
  if (!(await projects.delete(namespace, PROJECT_NAME))) throw noProject(namespace);
  function deleteToken({ metadata }: ZipToken) {
    return tokens.delete(namespace, metadata.name);
  }
  function deleteBucket({ metadata: { name } }: ZipBucket) {
    return deleteCountedBucket(buckets, { namespace, name }, { clock });
  }
  const ofTokens = also.tokens === true ? await deleteAll(tokens, namespace, deleteToken) : NOTHING;
  const ofBuckets = also.buckets === true ? await deleteAll(buckets, namespace, deleteBucket) : NOTHING;
  const ofSecrets = await deleteEach(ofBuckets.deleted, deleteSecretOf(options));
  return {
    tokens: ofTokens.deleted.length,
    buckets: ofBuckets.deleted.length,
    problems: [...ofTokens.problems, ...ofBuckets.problems, ...ofSecrets.problems],
  };
}
