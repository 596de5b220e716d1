import { PROJECT_NAME } from '#crds/api-group.ts';
import type { ZipProject } from '#crds/zip-project.ts';
import type { HistoryOwner } from '#runtime/history/history-job.ts';
import type { Change, ObjectClient } from '#runtime/kube/types.ts';

/** Deleted projects whose uid is remembered. */
const MOST_DELETED = 10_000;

/**
 * The uid of the ZipProject of each namespace, also for a while after its deletion: with a namespace, its ZipProject can be deleted
 * before the last of its ZipJobs.
 */
export interface ProjectUids {
  see(change: Change<ZipProject>): void;
  of(namespace: string): string | undefined;
}

export const createProjectUids = (): ProjectUids => {
  const uids = new Map<string, string>();
  const deleted = new Set<string>();
  return {
    see: (change) => {
      const { metadata } = change.kind === 'set' ? change.object : change.before;
      const { namespace, uid } = metadata;
      deleted.delete(namespace);
      if (uid !== undefined) uids.set(namespace, uid);
      if (change.kind === 'set') return;
      deleted.add(namespace);
      const [oldest] = deleted;
      if (deleted.size <= MOST_DELETED || oldest === undefined) return;
      deleted.delete(oldest);
      uids.delete(oldest);
    },
    of: (namespace) => uids.get(namespace),
  };
};

/** Under what the history stores the jobs of a namespace. Undefined if it has no ZipProject. */
export type OwnerOf = (namespace: string, signal: AbortSignal) => Promise<HistoryOwner | undefined>;

export interface OwnerOfOptions {
  readonly clusterUid: string;
  readonly projectUids: Pick<ProjectUids, 'of'>;
  readonly client: Pick<ObjectClient<ZipProject>, 'get'>;
}

/** The cache may lag behind a new project, and a job that is refused for it is lost: only the API server says that it has none. */
export const createOwnerOf =
  ({ clusterUid, projectUids, client }: OwnerOfOptions): OwnerOf =>
  async (namespace, signal) => {
    const known = projectUids.of(namespace);
    const projectUid = known ?? (await client.get(namespace, PROJECT_NAME, signal))?.metadata.uid;
    return projectUid === undefined ? undefined : { projectUid, clusterUid };
  };
