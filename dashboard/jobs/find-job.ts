import { createUserClient } from '#administration/changes/user-client.ts';
import { zipJobName } from '#crds/api-group.ts';
import type { ZipJob } from '#crds/zip-job.ts';
import { isUuid, uuidOfName } from '#crds/zip-job-facts.ts';
import { RESOURCES } from '#runtime/kube/resources.ts';
import { isHistoryAway, readHistory } from '../history/history-away.ts';
import type { History } from '../history/history-reader.ts';
import { projectUidOf } from '../history/project-uid.ts';
import { READ_HISTORY } from '../history/read-history.ts';
import { notAllowed, notFound, PageError, type PageRequest } from '../http/page.ts';
import type { PageDeps } from '../http/page-deps.ts';

export interface FoundJob {
  readonly zipJob: ZipJob;
  /** From the history: the ZipJob, its file list and its pods no longer exist. */
  readonly isArchived: boolean;
}

/** Valid names of a ZipJob. */
export const NAME = /^[a-z0-9][-a-z0-9.]{0,252}$/;

function nameOf({ params }: PageRequest): string {
  const given = params['job'] ?? '';
  const name = isUuid(given) ? zipJobName(given) : given;
  if (!NAME.test(name)) throw notFound();
  return name;
}

function noJob({ namespace }: PageRequest, name: string): PageError {
  return notFound(
    `Job ${name} not found in ${namespace}. Finished jobs are deleted after their retention period.`,
  );
}

function inCluster({ user, namespace }: PageRequest, name: string): Promise<ZipJob | undefined> {
  return createUserClient(user.kube, RESOURCES.zipJobs).get(namespace, name);
}

/** The job of the path in the cluster, by name or UUID, read live with the token of the user. */
export async function readJob(request: PageRequest): Promise<ZipJob> {
  const name = nameOf(request);
  const job = await inCluster(request, name);
  if (job === undefined) throw noJob(request, name);
  return job;
}

type Deps = Pick<PageDeps, 'history' | 'config'>;

async function inHistory(
  { history, config }: Deps & { readonly history: History },
  request: PageRequest,
  id: string,
): Promise<ZipJob | undefined> {
  const { user, namespace } = request;
  const verdicts = await Promise.all(READ_HISTORY.map((question) => user.may(namespace, question)));
  const refused = verdicts.find(({ allowed }) => !allowed);
  if (refused !== undefined) throw notAllowed(refused.reason);
  const projectUid = await projectUidOf(request);
  try {
    return await request.outsideLimit(() =>
      readHistory(config.workTimeoutMs, (signal) => history.readJob({ projectUid, id }, signal)),
    );
  } catch (error) {
    if (!isHistoryAway(error)) throw error;
    throw new PageError(
      503,
      'The history is not available',
      `Job ${id} is not in the cluster any more, and the history database does not respond. Try again in a moment.`,
    );
  }
}

/** The job of the path: from the cluster, or else from the history. */
export async function findJob({ history, config }: Deps, request: PageRequest): Promise<FoundJob> {
  const name = nameOf(request);
  const zipJob = await inCluster(request, name);
  if (zipJob !== undefined) return { zipJob, isArchived: false };
  const id = uuidOfName(name);
  if (history === undefined || id === undefined) throw noJob(request, name);
  const archived = await inHistory({ history, config }, request, id);
  if (archived === undefined) throw noJob(request, name);
  // The id of a job that the API did not create is its uid, and says nothing about its name.
  const live = archived.metadata.name === name ? undefined : await inCluster(request, archived.metadata.name);
  return live !== undefined && live.metadata.uid === archived.metadata.uid
    ? { zipJob: live, isArchived: false }
    : { zipJob: archived, isArchived: true };
}
