import { findCondition } from '#crds/conditions.ts';
import type { ZipJob } from '#crds/zip-job.ts';
import { countOf } from '../../count-of.ts';
import { durationText } from '../../time/duration-text.ts';
import type { Check, CheckContext } from '../context.ts';
import { type Finding, failure, ok, orOk, warning } from '../finding.ts';
import { finishedForMs, finishedJobs, LATE_MS, namesOf } from './read-jobs.ts';

function archivedReason(job: ZipJob): string | undefined {
  const archived = findCondition(job.status?.conditions, 'Archived');
  return archived?.status === 'True' ? 'Archived' : archived?.reason;
}

/** Finished jobs that the history should have by now, the oldest first. @throws ForbiddenReadError */
export async function lateRecords({ reader, serverClock }: CheckContext): Promise<readonly ZipJob[]> {
  const now = serverClock.date();
  return (await finishedJobs(reader)).jobs
    .filter((job) => archivedReason(job) === undefined && finishedForMs(job, now) > LATE_MS)
    .toSorted((a, b) => finishedForMs(b, now) - finishedForMs(a, now));
}

function lateFinding(late: readonly ZipJob[], context: CheckContext): readonly Finding[] {
  const [oldest] = late;
  if (oldest === undefined) return [];
  const { namespace, prefix } = context.release;
  return [
    failure(
      `The history database does not have ${countOf(late.length, 'finished job')}, the oldest for ${durationText(finishedForMs(oldest, context.serverClock.date()))}`,
      `See why the database does not respond: kubectl logs -n ${namespace} deployment/${prefix}-controller | grep -i history; then docs/on-call.md, "The history database is unavailable"`,
    ),
  ];
}

export const history: Check = {
  name: 'history',
  run: async (context) => {
    const { record } = context.release;
    if (record?.hasHistory !== true) return [ok('The release has no history')];
    const late = await lateRecords(context);
    const { jobs } = await finishedJobs(context.reader);
    const refused = jobs.filter((job) => archivedReason(job) === 'ArchiveRefused');
    const findings = [
      ...lateFinding(late, context),
      ...(refused.length === 0
        ? []
        : [
            warning(
              `The history database refuses ${countOf(refused.length, 'finished job')}: ${namesOf(refused)}`,
              'Read the condition Archived of the job: kubectl describe zipjob',
            ),
          ]),
    ];
    return orOk(findings, 'The history has every job that finished 15 minutes ago or earlier');
  },
};
