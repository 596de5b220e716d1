import { findCondition } from '#crds/conditions.ts';
import type { ZipJob } from '#crds/zip-job.ts';
import { stuckReason } from '#crds/zip-job-facts.ts';
import { countOf } from '../../count-of.ts';
import type { Check, CheckContext } from '../context.ts';
import { type Finding, orOk, warning } from '../finding.ts';
import { countBy, finishedJobs, namesOf, unfinishedJobs } from './read-jobs.ts';

/** Stuck jobs by reason, as the metric zip_jobs_stuck counts them. @throws ForbiddenReadError */
export async function stuckJobs({
  reader,
  serverClock,
}: Pick<CheckContext, 'reader' | 'serverClock'>): Promise<ReadonlyMap<string, readonly ZipJob[]>> {
  const now = serverClock.date();
  const all = [...(await unfinishedJobs(reader)).jobs, ...(await finishedJobs(reader)).jobs];
  const stuck = all.filter((job) => stuckReason(job, now) !== undefined);
  return countBy(stuck, (job) => stuckReason(job, now) ?? '');
}

function messageOf(job: ZipJob | undefined): string {
  const waiting = findCondition(job?.status?.conditions, 'Waiting');
  return waiting?.message ?? job?.status?.message ?? '';
}

function finding([reason, jobs]: readonly [string, readonly ZipJob[]]): Finding {
  const [first] = jobs;
  const count = `${countOf(jobs.length, 'job')} ${jobs.length === 1 ? 'is' : 'are'} stuck`;
  return warning(
    `${count} with the reason ${reason}: ${namesOf(jobs)}: ${messageOf(first)}`,
    `See what it waits for: zipjobs job show -n ${first?.metadata.namespace} ${first?.metadata.name ?? ''}; docs/on-call.md explains ${reason}`,
  );
}

export const jobs: Check = {
  name: 'jobs',
  run: async (context) => orOk([...(await stuckJobs(context))].map(finding), 'No job is stuck'),
};
