import { randomUUID } from 'node:crypto';
import { isFinished } from '#crds/zip-job.ts';
import { isUuid, uuidOfName } from '#crds/zip-job-facts.ts';
import {
  PageError,
  type PageRequest,
  type Route,
  type ShownFragment,
  type ShownPage,
} from '../../http/page.ts';
import type { PageDeps } from '../../http/page-deps.ts';
import { FORMAT } from '../../ui/format.ts';
import { SECTION_LABELS } from '../../ui/words.ts';
import { NAME } from '../find-job.ts';
import { matchingJobs } from '../find-jobs.ts';
import { validJobQuery } from '../job-filters.ts';
import { writeJobQuery } from '../job-query.ts';
import { jobRow } from '../job-row.ts';
import { LIST_JOBS } from '../list-jobs-right.ts';
import { BULK_ACTIONS, type BulkAction } from './bulk-actions.ts';
import { planOf } from './bulk-plan.ts';
import { type BulkOutcome, runBulk } from './bulk-run.ts';

interface Selection {
  readonly names: readonly string[];
  /** How many more jobs of the search the limit leaves out. */
  readonly left: number;
  /** How many jobs of the search were left out because they would end as before. */
  readonly futile: number;
}

export function bulkPath(namespace: string, kind: BulkAction['kind']): string {
  return FORMAT.path('projects', namespace, 'bulk', kind);
}

function namesOf({ form }: PageRequest, limit: number): readonly string[] {
  return namesIn(form.getAll('job'), limit);
}

/** @throws PageError 422 */
function namesIn(given: readonly string[], limit: number): readonly string[] {
  const names = [...new Set(given)];
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
  { isFor, isFutile }: BulkAction,
): Selection {
  if (request.form.get('scope') !== 'all') return { names: namesOf(request, limit), left: 0, futile: 0 };
  const { namespace, now } = request;
  const names: string[] = [];
  let [left, futile] = [0, 0];
  for (const job of matchingJobs({ order, zipJobs }, { namespace, query: queryOf(request), now })) {
    if (!isFor(job)) continue;
    if (isFutile(job)) futile += 1;
    else if (names.length < limit) names.push(job.metadata.name);
    else left += 1;
  }
  return { names, left, futile };
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

/** The start of the ID in the name of a ZipJob, as the lists show it and find it; any other name. */
function shortId(name: string): string {
  return uuidOfName(name)?.slice(0, 8) ?? name;
}

/** `Run 4 jobs again (4 left out)`. */
function titleOf({ texts }: BulkAction, ready: number, futile: number): string {
  const title = ready === 0 ? texts.none : texts.start(FORMAT.count(ready, 'job'));
  return futile === 0 ? title : `${title} (${FORMAT.number(futile)} left out)`;
}

async function preview(deps: PageDeps, request: PageRequest, action: BulkAction): Promise<ShownPage> {
  const { namespace } = request;
  const { names, left, futile: leftOut } = selectionOf(deps, request, action);
  const jobs = await planOf(request, action, { names, cached: deps.caches.zipJobs });
  const ready = jobs.filter(({ refusal }) => refusal === '');
  const futile = jobs.filter(({ isFutile }) => isFutile).length;
  const query = writeJobQuery(queryOf(request));
  const { effect, warning, look, start } = action.texts;
  const shown = {
    title: titleOf(action, ready.length, futile + leftOut),
    button: start(FORMAT.count(ready.length, 'job')),
    effect,
    warning,
    look,
    jobs: jobs.map((job) => ({ ...job, id: shortId(job.name) })),
    left,
    isEmpty: jobs.length + leftOut === 0,
    ready: ready.map(({ name }) => name),
    refused: jobs.length - ready.length - futile,
    href: `${bulkPath(namespace, action.kind)}/confirm`,
    query,
    back: FORMAT.path('projects', namespace, 'jobs') + query,
    form: randomUUID(),
  };
  return page('bulk-preview', shown);
}

/** `2 refused, 1 failed`; empty without any. */
function problemsOf(outcomes: readonly BulkOutcome[]): string {
  return (['refused', 'failed'] as const)
    .map((kind) => ({ kind, count: outcomes.filter((one) => one.kind === kind).length }))
    .filter(({ count }) => count > 0)
    .map(({ kind, count }) => `${FORMAT.number(count)} ${kind}`)
    .join(', ');
}

interface ChangedJob {
  readonly name: string;
  /** Of the job that it reruns: the cache may not have the new one yet. */
  readonly key: string;
}

/** The current state of changed jobs. One that is not in the cache was created a moment ago. */
function changedRows(
  { caches: { zipJobs } }: PageDeps,
  { namespace, now }: PageRequest,
  changed: readonly ChangedJob[],
) {
  const rows = changed.map(({ name, key }) => {
    const job = zipJobs.get(`${namespace}/${name}`);
    if (job !== undefined) return { ...jobRow(job, now), isFinished: isFinished(job) };
    const href = FORMAT.path('projects', namespace, 'jobs', name);
    return {
      name,
      key,
      href,
      look: 'quiet',
      phase: 'Queued',
      percent: undefined,
      reason: '',
      isFinished: false,
    };
  });
  return { rows, isOver: rows.every((row) => row.isFinished) };
}

function livePath(namespace: string, names: readonly string[]): string {
  const params = new URLSearchParams(names.map((name): [string, string] => ['job', name]));
  return `${FORMAT.path('projects', namespace, 'live', 'bulk')}?${params.toString()}`;
}

async function confirm(deps: PageDeps, request: PageRequest, action: BulkAction): Promise<ShownPage> {
  const { namespace, form } = request;
  const names = namesOf(request, deps.config.dashboardBulkJobsMax);
  const id = form.get('form') ?? '';
  if (!isUuid(id)) throw new PageError(422, 'Invalid form', 'Open the list of jobs and select them again.');
  const outcomes = (await runBulk(request, action, { names, form: id })).map((outcome) => ({
    ...outcome,
    key: deps.caches.zipJobs.get(`${namespace}/${outcome.name}`)?.spec.key ?? '',
  }));
  const done = outcomes.filter(({ kind }) => kind === 'done');
  const changed = done.flatMap(({ changed: name, key }) => (name === undefined ? [] : [{ name, key }]));
  const changedNames = changed.map(({ name }) => name);
  const path = FORMAT.path('projects', namespace, 'jobs');
  const shown = {
    title: action.texts.result(FORMAT.count(done.length, 'job')),
    problems: problemsOf(outcomes),
    others: outcomes.filter(({ kind, changed: name }) => kind !== 'done' || name === undefined),
    ...changedRows(deps, request, changed),
    live: livePath(namespace, changedNames),
    listHref: path + writeJobQuery({ ids: changedNames.map(shortId).join(',') }),
    back: path + writeJobQuery(queryOf(request)),
  };
  return page('bulk-result', shown);
}

async function changedFragment(deps: PageDeps, request: PageRequest): Promise<ShownFragment> {
  const names = namesIn(request.query.getAll('job'), deps.config.dashboardBulkJobsMax);
  const changed = names.map((name) => ({ name, key: name }));
  return {
    kind: 'fragment',
    view: '/jobs/bulk/bulk-changed',
    data: changedRows(deps, request, changed),
  };
}

/** Cancels or reruns many jobs: a page that says what will happen to each, and one with the outcome of each. */
export function createBulkJobs(deps: PageDeps): readonly Route[] {
  const live: Route = {
    method: 'GET',
    path: '/projects/:project/live/bulk',
    needs: LIST_JOBS,
    handle: (request) => changedFragment(deps, request),
  };
  const changes = BULK_ACTIONS.flatMap((action): readonly Route[] => {
    const path = `/projects/:project/bulk/${action.kind}`;
    const needs = [...LIST_JOBS, action.needs];
    return [
      { method: 'POST', path, needs, handle: (request) => preview(deps, request, action) },
      { method: 'POST', path: `${path}/confirm`, needs, handle: (request) => confirm(deps, request, action) },
    ];
  });
  return [live, ...changes];
}
