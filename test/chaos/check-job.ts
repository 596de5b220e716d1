/** Checks the outcome of one job. */
import { zipJobName } from '#crds/api-group.ts';
import { API_STATUSES, TERMINAL_PHASES } from '#crds/zip-job.ts';
import { allowedEnds, type End, type JobFault } from './allowed-ends.ts';
import type { UploadRecords } from './check-uploads.ts';
import { isOf } from './live-fault.ts';
import type { JobKind } from './plan.ts';
import { isOk, type Rule, type SeenExchange, type Sight } from './violation.ts';

/** One accepted request, and its outcome after everything has finished. */
export interface JobOutcome {
  readonly uuid: string;
  readonly kind: JobKind;
  readonly key: string;
  /** Paths of its files at the source. */
  readonly sources: readonly string[];
  /** Name and SHA-256 of each expected entry of the archive. */
  readonly expected: Readonly<Record<string, string>>;
  /** The object at the key: none, the earlier object, or an archive with these entries. */
  readonly object: 'nothing' | 'older' | Readonly<Record<string, string>>;
  /** SHA-256 of the object, if it is an archive. */
  readonly archive?: string;
  /** Which files a job has whose archive is the same bytes in every run. */
  readonly variant?: number | undefined;
  /** The earlier object at the key. */
  readonly before: 'nothing' | 'older';
  /** How often the test deleted the job's Kubernetes Job, or may have deleted it. */
  readonly jobsDeleted: number;
}

/** The history of one job. */
export interface JobStory {
  readonly job: JobOutcome;
  readonly sights: readonly Sight[];
  /** The API responses about it, in order: each request was sent after the previous response. */
  readonly responses: readonly string[];
  /** Requests to the API server that name it. */
  readonly api: readonly SeenExchange[];
  readonly deliveries: readonly SeenExchange[];
  readonly uploads: Pick<UploadRecords, 'completed'>;
  /** Injected errors that may end it without an archive. */
  readonly faults: readonly JobFault[];
}

/** The test deleted the ZipJob. */
export function isDeleted({ kind }: Pick<JobOutcome, 'kind'>): boolean {
  return kind === 'deleted';
}

export function isTerminal({ phase }: Sight): boolean {
  return TERMINAL_PHASES.some((one) => one === phase);
}

function checkOrder(sights: readonly Sight[]): readonly Rule[] {
  const ends = new Set(sights.filter(isTerminal).map(({ phase, finishedAt }) => `${phase} ${finishedAt}`));
  function rank({ apiStatus }: Sight): number {
    return Math.min(API_STATUSES.indexOf(apiStatus), 2);
  }
  const steps = sights.slice(1).map((sight, index) => ({ before: sights[index], sight }));
  return [
    ...(ends.size > 1
      ? [{ rule: 'H6', text: `finished more than once: ${[...ends].join(', ')}` } as const]
      : []),
    ...steps.flatMap(({ before, sight }): readonly Rule[] =>
      before !== undefined && rank(sight) < rank(before)
        ? [{ rule: 'H6', text: `status went back from ${before.apiStatus} to ${sight.apiStatus}` }]
        : [],
    ),
  ];
}

/** A job may finish before its pod exits only with a result, and its last attempt is recorded when the pod is gone. */
function checkExit(sights: readonly Sight[]): readonly Rule[] {
  const ends = sights.filter(isTerminal);
  const gone = ends.findIndex(({ isPodActive }) => !isPodActive);
  const rules: Rule[] = [];
  if (ends.some(({ isPodActive, reason }) => isPodActive && reason !== 'Uploaded'))
    rules.push({ rule: 'H6', text: 'finished without a result while its pod was active' });
  if (ends.length > 0 && (gone < 0 || !ends.slice(gone).every(({ isRecorded }) => isRecorded)))
    rules.push({ rule: 'H5', text: 'its last attempt was not recorded' });
  if (gone >= 0 && ends.slice(gone).some(({ isPodActive }) => isPodActive))
    rules.push({ rule: 'H6', text: 'a pod became active after the end' });
  return rules;
}

/** A later response never reports an earlier state. */
function checkResponses({ responses, job }: JobStory): readonly Rule[] {
  if (!isDeleted(job) && responses.includes('absent'))
    return [{ rule: 'H5', text: 'was accepted, but the API returned 404' }];
  const statuses = API_STATUSES.map(String);
  const ranks = responses
    .filter((response) => response !== 'absent')
    .map((response) => statuses.indexOf(response));
  const ends = new Set(ranks.filter((rank) => rank >= 2));
  const isBackward = ranks.some((rank, index) => Math.min(rank, 2) < Math.min(ranks[index - 1] ?? 0, 2));
  return isBackward || ends.size > 1
    ? [{ rule: 'H6', text: `the API reported in this order: ${[...new Set(responses)].join(', ')}` }]
    : [];
}

function checkEnd({ job, sights }: JobStory): readonly Rule[] {
  const last = sights.at(-1);
  if (isDeleted(job))
    return last?.event === 'DELETED' ? [] : [{ rule: 'F14', text: 'was deleted, but still exists' }];
  if (last && isTerminal(last)) return [];
  return [{ rule: 'H5', text: `never finished: ${last?.phase ?? 'no phase'} (${last?.reason ?? ''})` }];
}

/** What became of a job in the end. */
export function endOf({ job, sights }: JobStory): End {
  const last = sights.at(-1);
  if (isDeleted(job) && last?.event === 'DELETED') return 'deleted';
  return last && isTerminal(last) ? endIn(last) : 'unfinished';
}

function endIn({ phase, reason }: Sight): End {
  return `${phase as (typeof TERMINAL_PHASES)[number]} ${reason ?? ''}`;
}

/** A job that met no injected error ends as planned. */
function checkAllowed({ job, sights, faults }: JobStory): readonly Rule[] {
  const last = sights.findLast(isTerminal);
  if (last === undefined || allowedEnds(job.kind, faults).includes(endIn(last))) return [];
  const met = faults.length === 0 ? 'no injected error' : `errors of ${faults.join(' and ')}`;
  return [{ rule: 'F30', text: `a job planned as ${job.kind} that met ${met} ended as ${endIn(last)}` }];
}

function checkArchive({ uploads, job }: JobStory, last: Sight): readonly Rule[] {
  const completed = uploads.completed(zipJobName(job.uuid)).size;
  if (completed > 1) return [{ rule: 'H4', text: `${completed} uploads were completed` }];
  const isSilent = last.apiStatus !== 'succeeded' && last.reason !== 'OutcomeUnknown';
  return isSilent && completed > 0
    ? [{ rule: 'H4', text: `${last.phase} (${last.reason}), but an archive was published` }]
    : [];
}

function checkWebhook({ deliveries }: JobStory, last: Sight): readonly Rule[] {
  const rules: Rule[] = [];
  if (!deliveries.some(({ status, fault }) => isOk(status) && fault === undefined))
    rules.push({ rule: 'H7', text: `no delivery in ${deliveries.length} attempts` });
  const ids = new Set(deliveries.map(({ notes }) => notes['webhookId']));
  if (ids.size > 1) rules.push({ rule: 'H7', text: `${ids.size} webhook ids` });
  const wrong = deliveries.find(({ notes }) => notes['status'] !== last.apiStatus);
  if (wrong)
    rules.push({
      rule: 'H7',
      text: `the webhook reports ${wrong.notes['status']}, the status is ${last.apiStatus}`,
    });
  return rules;
}

function checkSignatures({ deliveries }: JobStory): readonly Rule[] {
  const flaw = deliveries.find(({ notes }) => notes['unverified'] !== undefined)?.notes['unverified'];
  return flaw === undefined
    ? []
    : [{ rule: 'verify', text: `a webhook was refused by the verifiers: ${flaw}` }];
}

function checkJobsCreated({ api, job }: JobStory): readonly Rule[] {
  const name = zipJobName(job.uuid);
  const created = api.filter(
    ({ request, status, notes }) => request.method === 'POST' && status === 201 && notes['job'] === name,
  ).length;
  return created > 1 + job.jobsDeleted ? [{ rule: 'F2', text: `${created} Jobs were created` }] : [];
}

const WINDOW_MS = 10_000;
/** Seven requests per second: progress and a checkpoint are written twice a second each here. */
const MOST_IN_WINDOW = 70;

/** Requests of the test's own client do not count. */
function isAsked({ request }: SeenExchange): boolean {
  return request.method === 'GET' && isOf(request, 'api');
}

function checkRate({ api }: JobStory): readonly Rule[] {
  const times = api
    .filter((one) => !isAsked(one))
    .map(({ at }) => at)
    .toSorted((a, b) => a - b);
  const most = Math.max(
    0,
    ...times.map((from, index) => times.slice(index).filter((at) => at < from + WINDOW_MS).length),
  );
  return most > MOST_IN_WINDOW ? [{ rule: 'F6', text: `${most} requests in ten seconds` }] : [];
}

/** H4 to H7, F2, F6, F14 and F30 for the history of one job. */
export function checkJob(story: JobStory): readonly Rule[] {
  const rules = [
    ...checkEnd(story),
    ...checkAllowed(story),
    ...checkOrder(story.sights),
    ...checkResponses(story),
    ...checkJobsCreated(story),
    ...checkRate(story),
    ...checkSignatures(story),
  ];
  const last = story.sights.at(-1);
  if (last === undefined || !isTerminal(last) || isDeleted(story.job)) return rules;
  return [...rules, ...checkExit(story.sights), ...checkArchive(story, last), ...checkWebhook(story, last)];
}
