import { type AdministrationError, hasCode } from '#administration/errors/administration-error.ts';
import type { Job } from '#administration/jobs/job-view.ts';
import { zipJobName } from '#crds/api-group.ts';
import { isUuid } from '#crds/zip-job-facts.ts';
import { toError } from '#runtime/errors.ts';
import type { Output } from '../output.ts';
import type { Session } from '../session.ts';
import { getArchived, withHistoryHint } from './get-archived.ts';

interface Reader {
  /** @throws AdministrationError NotFound */
  readonly live: (job: string) => Promise<Output>;
  readonly toOutput: (job: Job) => Output;
}

async function unlessMissing(task: () => Promise<Output>): Promise<Output | AdministrationError> {
  try {
    return await task();
  } catch (error) {
    if (hasCode(error, 'NotFound')) return error;
    throw error;
  }
}

function isMissing(result: Output | AdministrationError): result is AdministrationError {
  return result instanceof Error;
}

type Wanted = Parameters<typeof getArchived>[0];

/** A history that does not respond must not hide a job of the cluster. */
async function askHistory(...args: Parameters<typeof getArchived>): Promise<Job | Error | undefined> {
  try {
    return await getArchived(...args);
  } catch (error) {
    return toError(error);
  }
}

function isJob(archived: Job | Error | undefined): archived is Job {
  return archived !== undefined && !(archived instanceof Error);
}

/**
 * The job of the cluster, or else of the history. The look-up of a uid lists the whole project, so the history is asked before
 * that: if it has a job under the name of the API, no other job of the cluster has this ID. A busy history is waited for only after
 * that.
 */
export async function liveOrArchived(given: Wanted, session: Session, reader: Reader): Promise<Output> {
  const wanted = { ...given, job: given.job.toLowerCase() };
  const isId = isUuid(wanted.job);
  const name = isId ? zipJobName(wanted.job) : wanted.job;
  const byName = await unlessMissing(() => reader.live(name));
  if (!isMissing(byName)) return byName;
  let archived = await askHistory(wanted, session, { isOneAttempt: true });
  let missing = byName;
  if (isId && !(isJob(archived) && archived.name === name)) {
    const byUid = await unlessMissing(() => reader.live(wanted.job));
    if (!isMissing(byUid)) return byUid;
    missing = byUid;
    // It may have been archived during a wait.
    archived ??= await askHistory(wanted, session, { isOneAttempt: true });
  }
  if (archived instanceof Error) archived = await getArchived(wanted, session);
  if (archived === undefined) throw withHistoryHint(missing, wanted, session);
  return {
    ...reader.toOutput(archived),
    notes: ['This job is from the history: its ZipJob, file list and pods were deleted'],
  };
}
