/** What `zipjobs status` shows: one screen about an installation. */
import { PHASES, type Phase } from '#crds/zip-job.ts';
import { replicasOf } from './checks/components.ts';
import { DEFINITIONS, isServed } from './checks/definitions.ts';
import { lateRecords } from './checks/history.ts';
import { stuckJobs } from './checks/jobs.ts';
import { type Lead, readLead } from './checks/leader.ts';
import { isHeld, isNotReady, readBuckets, readProjects } from './checks/projects.ts';
import { finishedForMs, finishedJobs, unfinishedJobs } from './checks/read-jobs.ts';
import { releaseVersion, versionsOf } from './checks/versions.ts';
import { lateWebhooks, pendingWebhooks } from './checks/webhooks.ts';
import type { CheckContext } from './context.ts';
import { componentOf } from './find-release.ts';
import { KINDS } from './kinds.ts';
import { ForbiddenReadError } from './reader.ts';

interface ComponentSummary {
  readonly component: string;
  readonly ready: number;
  readonly wanted: number;
  /** Of its pods; several during an upgrade. */
  readonly versions: readonly string[];
}

interface JobSummary {
  /** New jobs count as Queued. */
  readonly phases: Readonly<Record<Phase, number>>;
  /** False if there are more than were read: then the numbers are lower bounds. */
  readonly isComplete: boolean;
}

/** A part is null if the user may not read what it needs; `missingPermissions` names it. */
export interface Summary {
  readonly namespace: string;
  readonly version: string;
  readonly components: readonly ComponentSummary[];
  /** Its holder is undefined without a leader. */
  readonly lead: Lead | undefined | null;
  readonly definitions: { readonly served: number; readonly total: number } | null;
  readonly projects: { readonly total: number; readonly notReady: number } | null;
  readonly buckets: { readonly total: number; readonly notReady: number; readonly held: number } | null;
  readonly jobs: JobSummary | null;
  /** By reason. */
  readonly stuck: Readonly<Record<string, number>> | null;
  readonly webhooks: { readonly pending: number; readonly late: number; readonly oldestMs: number } | null;
  readonly history: { readonly isEnabled: boolean; readonly late: number } | null;
  readonly missingPermissions: readonly string[];
}

async function definitionSummary({ reader }: CheckContext): Promise<Summary['definitions']> {
  const found = await Promise.all(
    DEFINITIONS.map((name) => reader.get(KINDS.CustomResourceDefinition, name)),
  );
  return { served: found.filter(isServed).length, total: DEFINITIONS.length };
}

async function projectSummary({ reader }: CheckContext): Promise<Summary['projects']> {
  const all = await readProjects(reader);
  return { total: all.length, notReady: all.filter(isNotReady).length };
}

async function bucketSummary({ reader }: CheckContext): Promise<Summary['buckets']> {
  const all = await readBuckets(reader);
  return { total: all.length, notReady: all.filter(isNotReady).length, held: all.filter(isHeld).length };
}

async function jobSummary({ reader }: CheckContext): Promise<JobSummary> {
  const lists = [await unfinishedJobs(reader), await finishedJobs(reader)];
  const all = lists.flatMap(({ jobs }) => jobs).map(({ status }) => status?.phase ?? 'Queued');
  const counts = PHASES.map((phase) => [phase, all.filter((one) => one === phase).length]);
  return {
    phases: Object.fromEntries(counts) as Record<Phase, number>,
    isComplete: lists.every(({ isComplete }) => isComplete),
  };
}

async function stuckSummary(context: CheckContext): Promise<Summary['stuck']> {
  const groups = [...(await stuckJobs(context))];
  return Object.fromEntries(groups.map(([reason, jobs]) => [reason, jobs.length]));
}

async function webhookSummary(context: CheckContext): Promise<Summary['webhooks']> {
  const pending = await pendingWebhooks(context);
  const [oldest] = pending;
  return {
    pending: pending.length,
    late: (await lateWebhooks(context)).length,
    oldestMs: oldest === undefined ? 0 : finishedForMs(oldest, context.serverClock.date()),
  };
}

async function historySummary(context: CheckContext): Promise<Summary['history']> {
  const isEnabled = context.release.record?.hasHistory === true;
  return { isEnabled, late: isEnabled ? (await lateRecords(context)).length : 0 };
}

function componentSummaries({ release }: CheckContext): readonly ComponentSummary[] {
  return replicasOf(release).map(({ component, ready, wanted }) => ({
    component,
    ready,
    wanted,
    versions: versionsOf(release.pods.filter((pod) => componentOf(pod) === component)),
  }));
}

/** @throws KubeError, except for a missing permission */
export async function summarize(context: CheckContext): Promise<Summary> {
  const missing = new Set<string>();
  async function orNull<T>(task: Promise<T>): Promise<T | null> {
    try {
      return await task;
    } catch (error) {
      if (!(error instanceof ForbiddenReadError)) throw error;
      missing.add(error.permission);
      return null;
    }
  }
  const [lead, definitions, projects, buckets] = await Promise.all([
    orNull(readLead(context)),
    orNull(definitionSummary(context)),
    orNull(projectSummary(context)),
    orNull(bucketSummary(context)),
  ]);
  const [jobs, stuck, webhooks, history] = await Promise.all([
    orNull(jobSummary(context)),
    orNull(stuckSummary(context)),
    orNull(webhookSummary(context)),
    orNull(historySummary(context)),
  ]);
  return {
    namespace: context.release.namespace,
    version: releaseVersion(context.release),
    components: componentSummaries(context),
    lead,
    definitions,
    projects,
    buckets,
    jobs,
    stuck,
    webhooks,
    history,
    missingPermissions: [...missing],
  };
}
