import { PROJECT_NAME } from '#crds/api-group.ts';
import type { ObjectMeta } from '#crds/object-meta.ts';
import type { ZipJob } from '#crds/zip-job.ts';
import { isOfOlderProject } from '#crds/zip-job-facts.ts';
import type { ZipProject } from '#crds/zip-project.ts';
import type { HistoryOwner } from '#runtime/history/history-job.ts';
import type { Change, ObjectClient } from '#runtime/kube/types.ts';
import { timeOf } from '../cluster/times.ts';

/** Deleted projects whose uid is remembered. */
const MOST_DELETED = 10_000;

/** A ZipProject that a namespace has or had. */
interface KnownProject {
  readonly uid: string;
  readonly createdAtMs: number;
}

/**
 * The ZipProjects of each namespace, also for a while after their deletion: with a namespace, its ZipProject can be deleted before
 * the last of its ZipJobs.
 */
export interface ProjectUids {
  see(change: Change<ZipProject>): void;
  /** Newest first. */
  of(namespace: string): readonly KnownProject[];
}

function toKnown({ uid, creationTimestamp }: ObjectMeta): readonly KnownProject[] {
  return uid === undefined ? [] : [{ uid, createdAtMs: timeOf(creationTimestamp) ?? -Infinity }];
}

export function createProjectUids(): ProjectUids {
  const projects = new Map<string, readonly KnownProject[]>();
  /** The namespace of each uid, in the order of the deletions. */
  const deleted = new Map<string, string>();
  function keep(namespace: string, known: readonly KnownProject[]): void {
    if (known.length > 0) projects.set(namespace, known);
    else projects.delete(namespace);
  }
  function forgetOldest(): void {
    const [oldest] = deleted;
    if (deleted.size <= MOST_DELETED || oldest === undefined) return;
    const [uid, namespace] = oldest;
    deleted.delete(uid);
    keep(
      namespace,
      (projects.get(namespace) ?? []).filter((one) => one.uid !== uid),
    );
  }
  return {
    see: (change) => {
      const { metadata } = change.kind === 'set' ? change.object : change.before;
      const { namespace, uid } = metadata;
      if (uid === undefined) return;
      const known = projects.get(namespace) ?? [];
      if (known[0]?.uid !== uid) {
        // The watch may have missed the deletion of the one before.
        if (known[0]) deleted.set(known[0].uid, namespace);
        keep(namespace, [...toKnown(metadata), ...known.filter((one) => one.uid !== uid)]);
      }
      deleted.delete(uid);
      if (change.kind === 'deleted') deleted.set(uid, namespace);
      forgetOldest();
    },
    of: (namespace) => projects.get(namespace) ?? [],
  };
}

/** Under what the history stores a job. */
interface Ownership {
  /** Absent if there is no project of which the history may have it. */
  readonly owner?: HistoryOwner;
  /** Why not, if it is not because the namespace has no ZipProject. */
  readonly message?: string;
}

export type OwnerOf = (zipJob: ZipJob, signal: AbortSignal) => Promise<Ownership>;

export interface OwnerOfOptions {
  readonly clusterUid: string;
  readonly projectUids: Pick<ProjectUids, 'of'>;
  readonly client: Pick<ObjectClient<ZipProject>, 'get'>;
}

const PROJECT_DELETED = 'The ZipProject of this job was deleted, and the history deletes all of its records.';

/**
 * The cache may lag behind a new project, and a job that is refused for it is lost: only the API server says that a namespace has
 * none. A job of a deleted project is stored under the uid of that one, or not at all: the project that was created after it must
 * not see its records.
 */
export function createOwnerOf({ clusterUid, projectUids, client }: OwnerOfOptions): OwnerOf {
  return async (zipJob, signal) => {
    const { namespace } = zipJob.metadata;
    let known = projectUids.of(namespace);
    if (known.length === 0) {
      const project = await client.get(namespace, PROJECT_NAME, signal);
      known = project ? toKnown(project.metadata) : [];
    }
    const own = known.find((project) => !isOfOlderProject(zipJob, project.createdAtMs));
    if (own) return { owner: { projectUid: own.uid, clusterUid } };
    return known.length > 0 ? { message: PROJECT_DELETED } : {};
  };
}
