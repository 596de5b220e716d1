import { AdministrationError } from '#administration/errors/administration-error.ts';
import { type Job, toJob } from '#administration/jobs/job-view.ts';
import { isUuid, uuidOfName } from '#crds/zip-job-facts.ts';
import type { Session } from '../session.ts';
import type { HistoryClient } from './history-client.ts';

interface Wanted {
  readonly job: string;
  readonly dashboard: string | undefined;
}

function idOf({ job }: Wanted): string | undefined {
  return isUuid(job) ? job : uuidOfName(job);
}

function hasDashboard({ dashboard }: Wanted, { env }: Pick<Session, 'env'>): boolean {
  return dashboard !== undefined || (env['ZIPJOBS_DASHBOARD_URL'] ?? '') !== '';
}

/** A job of the history by its id or the name of its ZipJob; undefined if it has none, or no dashboard is given. */
export async function getArchived(
  wanted: Wanted,
  session: Session,
  options?: Parameters<HistoryClient['job']>[2],
): Promise<Job | undefined> {
  const id = idOf(wanted);
  if (id === undefined || !hasDashboard(wanted, session)) return undefined;
  const archived = await (await session.openHistory(wanted.dashboard)).job(session.namespace, id, options);
  return archived && toJob(archived);
}

/** The error for a job that was not found, with a hint if the history was not searched for lack of an address. */
export function withHistoryHint(
  error: AdministrationError,
  wanted: Wanted,
  session: Pick<Session, 'env'>,
): AdministrationError {
  if (idOf(wanted) === undefined || hasDashboard(wanted, session)) return error;
  const { message, code, commandHint } = error;
  const hint =
    'If your installation has a history, set --dashboard or ZIPJOBS_DASHBOARD_URL to the address of the dashboard to find it there';
  return new AdministrationError(message, {
    code,
    commandHint: commandHint === undefined ? hint : `${commandHint}. ${hint}`,
    cause: error,
  });
}
