import { ANNOTATIONS, bucketResourceName } from '#crds/api-group.ts';
import { type Phase, TERMINAL_PHASES, type ZipJob } from '#crds/zip-job.ts';
import { defined } from '#runtime/collections/optional.ts';
import type { KubeClient } from '#runtime/kube/client/client.ts';
import { listPages } from '#runtime/kube/client/list-pages.ts';
import { RESOURCES } from '#runtime/kube/resources.ts';
import { explainKubeError } from '../errors/explain-kube-error.ts';
import { type Job, toJob } from './job-view.ts';

export interface JobQuery {
  /** Every project when absent. */
  readonly namespace?: string | undefined;
  /** Matches any of these phases; empty for every phase. */
  readonly phases: readonly Phase[];
  readonly bucket?: { readonly service: string; readonly bucketName: string } | undefined;
  /** Matches the whole key; `*` matches any text. */
  readonly key?: string | undefined;
  /** Matches any of these reasons; empty or absent for every reason. */
  readonly reasons?: readonly string[] | undefined;
  /** ID of the token that created the job. */
  readonly createdBy?: string | undefined;
  readonly createdAfter?: Date | undefined;
  readonly createdBefore?: Date | undefined;
  /** Maximum number of jobs; the newest are returned. */
  readonly limit: number;
}

export interface JobList {
  /** Newest first. */
  readonly jobs: readonly Job[];
  /** Number of matching jobs, including those beyond the limit. */
  readonly matching: number;
}

/** Bounds the memory of a list. */
const PAGE_SIZE = 500;

/** Lets the API server filter most jobs. A job that was never reconciled has no phase and counts as queued. */
function fieldSelectorOf({ bucket, phases }: JobQuery): string | undefined {
  const fields = [
    ...(bucket ? [`spec.bucketRef.name=${bucketResourceName(bucket.service, bucket.bucketName)}`] : []),
    ...(phases.length > 0
      ? TERMINAL_PHASES.filter((phase) => !phases.includes(phase)).map((phase) => `status.phase!=${phase}`)
      : []),
  ];
  return fields.length === 0 ? undefined : fields.join(',');
}

/** A regular expression with a `.*` for each `*` would need exponential time for some keys. */
function matchesKey(pattern: string, key: string): boolean {
  const [first = '', ...others] = pattern.split('*');
  const last = others.pop();
  if (last === undefined) return key === first;
  if (!key.startsWith(first)) return false;
  let at = first.length;
  for (const part of others) {
    const found = key.indexOf(part, at);
    if (found === -1) return false;
    at = found + part.length;
  }
  return at + last.length <= key.length && key.endsWith(last);
}

function matchesOrigin(
  { reasons = [], createdBy }: JobQuery,
  { metadata, status }: Pick<ZipJob, 'metadata' | 'status'>,
): boolean {
  return (
    (reasons.length === 0 || reasons.includes(status?.reason ?? '')) &&
    (createdBy === undefined || metadata.annotations?.[ANNOTATIONS.createdBy] === createdBy)
  );
}

function matcherOf(query: JobQuery): (job: ZipJob) => boolean {
  const after = query.createdAfter?.getTime() ?? -Infinity;
  const before = query.createdBefore?.getTime() ?? Infinity;
  return (job) => {
    const { metadata, spec, status } = job;
    const createdAt = Date.parse(metadata.creationTimestamp ?? '');
    const isPhase = query.phases.length === 0 || query.phases.includes(status?.phase ?? 'Queued');
    return (
      isPhase &&
      matchesOrigin(query, job) &&
      (query.key === undefined || matchesKey(query.key, spec.key)) &&
      createdAt >= after &&
      createdAt <= before
    );
  };
}

function newestFirst(a: Job, b: Job): number {
  return (b.createdAt ?? '').localeCompare(a.createdAt ?? '') || a.name.localeCompare(b.name);
}

/** Reads page by page from the API server and keeps only matching jobs within the limit. */
export async function listJobs(kube: KubeClient, query: JobQuery, signal: AbortSignal): Promise<JobList> {
  const matches = matcherOf(query);
  const fieldSelector = fieldSelectorOf(query);
  const { namespace, limit } = query;
  const definition = RESOURCES.zipJobs;
  let jobs: Job[] = [];
  let matching = 0;
  try {
    const options = {
      pageSize: PAGE_SIZE,
      signal,
      ...defined({ namespace, fieldSelector }),
    };
    for await (const { items } of listPages(kube, definition, options)) {
      const found = items.map((item) => definition.decode(item)).filter(matches);
      matching += found.length;
      jobs = [...jobs, ...found.map(toJob)].toSorted(newestFirst).slice(0, limit);
    }
  } catch (error) {
    throw explainKubeError({ verb: 'list', resource: 'zipjobs.zipjobs.dev', namespace }, error);
  }
  return { jobs, matching };
}
