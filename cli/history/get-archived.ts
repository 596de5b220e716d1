import { type Job, toJob } from '#administration/job-view.ts';
import { isUuid, uuidOfName } from '#crds/zip-job-facts.ts';
import type { Session } from '../session.ts';

/** A job of the history by its id or the name of its ZipJob; undefined if it has none, or no dashboard is given. */
export const getArchived = async (
  { job, dashboard }: { readonly job: string; readonly dashboard: string | undefined },
  session: Session,
): Promise<Job | undefined> => {
  const id = isUuid(job) ? job : uuidOfName(job);
  const isConfigured = dashboard !== undefined || (session.env['ZIPJOBS_DASHBOARD_URL'] ?? '') !== '';
  if (id === undefined || !isConfigured) return undefined;
  const archived = await (await session.openHistory(dashboard)).job(session.namespace, id);
  return archived && toJob(archived);
};
