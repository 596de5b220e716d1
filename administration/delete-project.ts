import { PROJECT_NAME } from '#crds/api-group.ts';
import type { ZipBucket } from '#crds/zip-bucket.ts';
import type { ZipProject } from '#crds/zip-project.ts';
import type { ZipToken } from '#crds/zip-token.ts';
import type { Clock } from '#runtime/clock.ts';
import { inBatches } from '#runtime/in-batches.ts';
import type { KubeObject, ObjectClient } from '#runtime/kube/types.ts';
import { AdministrationError } from './administration-error.ts';
import { deleteCountedBucket } from './delete-counted-bucket.ts';
import { noProject } from './required-project.ts';

type Deleter<T extends KubeObject> = Pick<ObjectClient<T>, 'list' | 'delete'>;

export interface DeleteProjectOptions {
  readonly projects: Pick<ObjectClient<ZipProject>, 'delete'>;
  readonly tokens: Deleter<ZipToken>;
  readonly buckets: Deleter<ZipBucket>;
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

const problemOf = (error: unknown): string => {
  if (error instanceof AdministrationError) return error.message;
  throw error;
};

/** Deletes every object of one kind. A failure does not stop the others. */
const deleteAll = async <T extends KubeObject>(
  client: Deleter<T>,
  namespace: string,
  deleteOne: (name: string) => Promise<unknown>,
): Promise<{ readonly deleted: number; readonly problems: readonly string[] }> => {
  try {
    const names = (await client.list({ namespace })).map(({ metadata }) => metadata.name);
    const problems: string[] = [];
    await inBatches(names, AT_ONCE, async (name) => {
      await deleteOne(name).catch((error: unknown) => problems.push(problemOf(error)));
    });
    return { deleted: names.length - problems.length, problems };
  } catch (error) {
    return { deleted: 0, problems: [problemOf(error)] };
  }
};

const NOTHING = { deleted: 0, problems: [] } as const;

/**
 * Starts the deletion of a project. Its tokens are invalid from then on, so they and the buckets are deleted afterwards: if the
 * user may not delete the project, nothing changes.
 * @throws AdministrationError NotFound, Forbidden
 */
export const deleteProject = async (
  { projects, tokens, buckets, clock }: DeleteProjectOptions,
  namespace: string,
  also: AlsoDelete,
): Promise<DeletedProject> => {
  if (!(await projects.delete(namespace, PROJECT_NAME))) throw noProject(namespace);
  const deleteToken = (name: string) => tokens.delete(namespace, name);
  const deleteBucket = (name: string) => deleteCountedBucket(buckets, { namespace, name }, { clock });
  const ofTokens = also.tokens === true ? await deleteAll(tokens, namespace, deleteToken) : NOTHING;
  const ofBuckets = also.buckets === true ? await deleteAll(buckets, namespace, deleteBucket) : NOTHING;
  return {
    tokens: ofTokens.deleted,
    buckets: ofBuckets.deleted,
    problems: [...ofTokens.problems, ...ofBuckets.problems],
  };
};
