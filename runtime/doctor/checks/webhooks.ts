import type { ZipJob } from '#crds/zip-job.ts';
import type { ZipProject } from '#crds/zip-project.ts';
import { countOf } from '../../count-of.ts';
import { durationText } from '../../time/duration-text.ts';
import type { Check, CheckContext } from '../context.ts';
import { type Finding, orOk, warning } from '../finding.ts';
import { readProjects } from './projects.ts';
import { countBy, finishedForMs, finishedJobs, LATE_MS, namesOf } from './read-jobs.ts';

/** Jobs whose webhook is pending, the oldest first. @throws ForbiddenReadError */
export async function pendingWebhooks({ reader }: Pick<CheckContext, 'reader'>): Promise<readonly ZipJob[]> {
  const { jobs } = await finishedJobs(reader);
  return jobs
    .filter(({ status }) => status?.webhook?.state === 'Pending')
    .toSorted((a, b) => (a.status?.finishedAt ?? '').localeCompare(b.status?.finishedAt ?? ''));
}

/** @throws ForbiddenReadError */
export async function lateWebhooks(context: CheckContext): Promise<readonly ZipJob[]> {
  const now = context.serverClock.date();
  return (await pendingWebhooks(context)).filter((job) => finishedForMs(job, now) > LATE_MS);
}

function lateFinding([namespace, jobs]: readonly [string, readonly ZipJob[]], now: Date): Finding {
  const [oldest] = jobs;
  const age = oldest === undefined ? '' : durationText(finishedForMs(oldest, now));
  const count = `${countOf(jobs.length, 'webhook')} ${jobs.length === 1 ? 'is' : 'are'}`;
  return warning(
    `${count} late in project ${namespace}, the oldest for ${age}: ${namesOf(jobs)}`,
    `See how the receiver responds: zipjobs webhook show -n ${namespace}`,
  );
}

function disabledFinding({ metadata, status }: ZipProject): Finding | undefined {
  if (status?.webhook?.state !== 'Disabled') return undefined;
  const namespace = metadata.namespace;
  return warning(
    `The webhook of project ${namespace} is disabled (${status.webhook.reason ?? 'no reason'}), so nothing is sent`,
    `When the receiver works again: zipjobs webhook enable -n ${namespace}`,
  );
}

export const webhooks: Check = {
  name: 'webhooks',
  run: async (context) => {
    const now = context.serverClock.date();
    const late = countBy(await lateWebhooks(context), ({ metadata }) => metadata.namespace);
    const projects = await readProjects(context.reader);
    const findings = [
      ...[...late].map((group) => lateFinding(group, now)),
      ...projects.flatMap((project) => disabledFinding(project) ?? []),
    ];
    return orOk(findings, 'No webhook is late or disabled');
  },
};
