import { randomUUID } from 'node:crypto';
import { isUuid } from '#crds/zip-job-facts.ts';
import { PageError, type PageRequest, type Route, type ShownPage } from '../../http/page.ts';
import type { PageDeps } from '../../http/page-deps.ts';
import { FORMAT } from '../../ui/format.ts';
import { SECTION_LABELS } from '../../ui/words.ts';
import { NAME } from '../find-job.ts';
import { matchingJobs } from '../find-jobs.ts';
import { validJobQuery } from '../job-filters.ts';
import { writeJobQuery } from '../job-query.ts';
import { LIST_JOBS } from '../list-jobs-right.ts';
import { BULK_ACTIONS, type BulkAction } from './bulk-actions.ts';
import { planOf } from './bulk-plan.ts';
import { type BulkOutcome, runBulk } from './bulk-run.ts';

interface Selection {
  readonly names: readonly string[];
  /** How many more jobs of the search the limit leaves out. */
  readonly left: number;
}

export function bulkPath(namespace: string, kind: BulkAction['kind']): string {
  return FORMAT.path('projects', namespace, 'bulk', kind);
}

function namesOf({ form }: PageRequest, limit: number): readonly string[] {
  const names = [...new Set(form.getAll('job'))];
  if (names.some((name) => !NAME.test(name)))
    throw new PageError(422, 'Invalid form', 'The form contains an invalid job name.');
  if (names.length > limit)
    throw new PageError(422, 'Too many jobs', `Select at most ${FORMAT.count(limit, 'job')} at a time.`);
  return names;
}

/** The filters of the list that the form was on. */
function queryOf({ form }: PageRequest) {
  return validJobQuery(new URLSearchParams(form.get('query') ?? ''));
}

/** The selected jobs, or the newest ones of the whole search that the action is for. */
function selectionOf(
  { caches: { zipJobs }, jobs: { order }, config: { dashboardBulkJobsMax: limit } }: PageDeps,
  request: PageRequest,
  { isFor }: BulkAction,
): Selection {
  if (request.form.get('scope') !== 'all') return { names: namesOf(request, limit), left: 0 };
  const { namespace, now } = request;
  const names: string[] = [];
  let left = 0;
  for (const job of matchingJobs({ order, zipJobs }, { namespace, query: queryOf(request), now })) {
    if (!isFor(job)) continue;
    if (names.length < limit) names.push(job.metadata.name);
    else left += 1;
  }
  return { names, left };
}

interface BulkPage {
  readonly title: string;
  /** The list that the form was on. */
  readonly back: string;
}

function page(view: string, data: BulkPage): ShownPage {
  return {
    kind: 'page',
    view: `/jobs/bulk/${view}`,
    title: data.title,
    trail: [{ label: SECTION_LABELS.jobs, href: data.back }],
    section: 'jobs',
    data,
  };
}

async function preview(deps: PageDeps, request: PageRequest, action: BulkAction): Promise<ShownPage> {
  const { namespace } = request;
  const { names, left } = selectionOf(deps, request, action);
  const jobs = await planOf(request, action, { names, cached: deps.caches.zipJobs });
  const ready = jobs.filter(({ refusal }) => refusal === '');
  const query = writeJobQuery(queryOf(request));
  const { effect, warning, look, start } = action.texts;
  const title = start(FORMAT.count(ready.length, 'job'));
  const shown = {
    title,
    effect,
    warning,
    look,
    jobs,
    left,
    ready: ready.map(({ name }) => name),
    refused: jobs.length - ready.length,
    href: `${bulkPath(namespace, action.kind)}/confirm`,
    query,
    back: FORMAT.path('projects', namespace, 'jobs') + query,
    form: randomUUID(),
  };
  return page('bulk-preview', shown);
}

/** `18 done, 1 refused, 1 failed`. */
function summaryOf(outcomes: readonly BulkOutcome[]): string {
  return (['done', 'refused', 'failed'] as const)
    .map((kind) => ({ kind, count: outcomes.filter((one) => one.kind === kind).length }))
    .filter(({ kind, count }) => count > 0 || kind === 'done')
    .map(({ kind, count }) => `${FORMAT.number(count)} ${kind}`)
    .join(', ');
}

async function confirm(deps: PageDeps, request: PageRequest, action: BulkAction): Promise<ShownPage> {
  const { namespace, form } = request;
  const names = namesOf(request, deps.config.dashboardBulkJobsMax);
  const id = form.get('form') ?? '';
  if (!isUuid(id)) throw new PageError(422, 'Invalid form', 'Open the list of jobs and select them again.');
  const outcomes = await runBulk(request, action, { names, form: id });
  function keyOf(name: string): string {
    return deps.caches.zipJobs.get(`${namespace}/${name}`)?.spec.key ?? '';
  }
  const shown = {
    title: summaryOf(outcomes),
    label: action.label.replace('…', ''),
    isClean: outcomes.every(({ kind }) => kind === 'done'),
    outcomes: outcomes.map((outcome) => ({ ...outcome, key: keyOf(outcome.name) })),
    back: FORMAT.path('projects', namespace, 'jobs') + writeJobQuery(queryOf(request)),
  };
  return page('bulk-result', shown);
}

/** Cancels or reruns many jobs: a page that says what will happen to each, and one with the outcome of each. */
export function createBulkJobs(deps: PageDeps): readonly Route[] {
  return BULK_ACTIONS.flatMap((action): readonly Route[] => {
    const path = `/projects/:project/bulk/${action.kind}`;
    const needs = [...LIST_JOBS, action.needs];
    return [
      { method: 'POST', path, needs, handle: (request) => preview(deps, request, action) },
      { method: 'POST', path: `${path}/confirm`, needs, handle: (request) => confirm(deps, request, action) },
    ];
  });
}
