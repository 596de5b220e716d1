import { DEFAULT_ENDPOINT, endpointsOf } from '#crds/webhook-endpoints.ts';
import type { ZipJob } from '#crds/zip-job.ts';
import { isWebhookPending } from '#crds/zip-job-facts.ts';
import type { EndpointState, ZipProject } from '#crds/zip-project.ts';
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
    .filter(isWebhookPending)
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

function disabledFindings({ metadata: { namespace }, status }: ZipProject): readonly Finding[] {
  return endpointsOf<EndpointState>(status?.webhook)
    .filter(({ state }) => state === 'Disabled')
    .map(({ name, reason = 'no reason' }) => {
      const isDefault = name === DEFAULT_ENDPOINT;
      const what = isDefault ? 'The webhook' : `The webhook endpoint ${name}`;
      return warning(
        `${what} of project ${namespace} is disabled (${reason}), so nothing is sent${isDefault ? '' : ' to it'}`,
        `When the receiver works again: zipjobs webhook enable${isDefault ? '' : ` --endpoint ${name}`} -n ${namespace}`,
      );
    });
}

export const webhooks: Check = {
  name: 'webhooks',
  run: async (context) => {
    const now = context.serverClock.date();
    const late = countBy(await lateWebhooks(context), ({ metadata }) => metadata.namespace);
    const projects = await readProjects(context.reader);
    const findings = [
      ...[...late].map((group) => lateFinding(group, now)),
      ...projects.flatMap(disabledFindings),
    ];
    return orOk(findings, 'No webhook is late or disabled');
  },
};
