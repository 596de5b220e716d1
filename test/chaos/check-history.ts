/** Judges a history: what must hold whatever happened. */
import { zipJobName } from '#crds/api-group.ts';
import { API_STATUSES, TERMINAL_PHASES } from '#crds/zip-job.ts';
import type { Seen } from './history.ts';

/** One accepted request, and what was found once all was quiet. */
export interface JobOutcome {
  readonly uuid: string;
  readonly key: string;
  /** Name and SHA-256 of each entry that the archive must have. */
  readonly expected: Readonly<Record<string, string>>;
  /** What stands at the key: nothing, the object of before, or an archive with these entries. */
  readonly object: 'nothing' | 'older' | Readonly<Record<string, string>>;
  /** How often the test itself deleted the job's Kubernetes Job or may have. */
  readonly jobsDeleted: number;
}

export interface Violation {
  readonly rule: 'H4' | 'H5' | 'H6' | 'H7' | 'H8' | 'F2';
  readonly uuid?: string;
  readonly text: string;
}

type Exchange = Extract<Seen, { kind: 'exchange' }>;
type Sight = Extract<Seen, { kind: 'zip-job' }>;

const isOk = (status: number | undefined): boolean => status !== undefined && status >= 200 && status < 300;

const exchanges = (seen: readonly Seen[], place: Exchange['place']): readonly Exchange[] =>
  seen.flatMap((one) => (one.kind === 'exchange' && one.place === place ? [one] : []));

const sightsOf = (seen: readonly Seen[], uuid: string): readonly Sight[] =>
  seen
    .flatMap((one) => (one.kind === 'zip-job' && one.name === zipJobName(uuid) ? [one] : []))
    .toSorted((a, b) => a.at - b.at);

const isTerminal = ({ phase }: Sight): boolean => TERMINAL_PHASES.some((one) => one === phase);

/** Completes of the store's own word, told apart by their upload. */
const completedUploads = (seen: readonly Seen[], key: string): ReadonlySet<string> =>
  new Set(
    exchanges(seen, 'store').flatMap(({ request, status, at: _at }) => {
      const url = new URL(request.path, 'http://store');
      const upload = url.searchParams.get('uploadId');
      const isComplete = request.method === 'POST' && upload !== null && isOk(status);
      return isComplete && decodeURIComponent(url.pathname).endsWith(`/${key}`) ? [upload] : [];
    }),
  );

const checkStates = (sights: readonly Sight[]): readonly Omit<Violation, 'uuid'>[] => {
  const last = sights.at(-1);
  if (last === undefined || !isTerminal(last))
    return [{ rule: 'H5', text: `never ended: ${last?.phase ?? 'no phase'} (${last?.reason ?? ''})` }];
  const ends = new Set(sights.filter(isTerminal).map(({ phase, finishedAt }) => `${phase} ${finishedAt}`));
  const violations: Omit<Violation, 'uuid'>[] = [];
  if (ends.size > 1) violations.push({ rule: 'H6', text: `ended more than once: ${[...ends].join(', ')}` });
  const rank = ({ apiStatus }: Sight): number => Math.min(API_STATUSES.indexOf(apiStatus), 2);
  sights.forEach((sight, index) => {
    const before = sights[index - 1];
    if (before !== undefined && rank(sight) < rank(before))
      violations.push({ rule: 'H6', text: `went back from ${before.apiStatus} to ${sight.apiStatus}` });
  });
  return violations;
};

const sameEntries = (a: Readonly<Record<string, string>>, b: Readonly<Record<string, string>>): boolean =>
  JSON.stringify(a) === JSON.stringify(b);

const checkArchive = (
  seen: readonly Seen[],
  job: JobOutcome,
  last: Sight,
): readonly Omit<Violation, 'uuid'>[] => {
  const uploads = completedUploads(seen, job.key);
  const violations: Omit<Violation, 'uuid'>[] = [];
  if (uploads.size > 1) violations.push({ rule: 'H4', text: `${uploads.size} uploads were completed` });
  if (last.apiStatus === 'succeeded') {
    if (typeof job.object === 'string')
      violations.push({ rule: 'H4', text: `succeeded, but at the key stands ${job.object}` });
    else if (!sameEntries(job.object, job.expected))
      violations.push({ rule: 'H4', text: 'succeeded, but the archive has other entries' });
  } else if (last.reason !== 'OutcomeUnknown' && (uploads.size > 0 || typeof job.object !== 'string'))
    violations.push({ rule: 'H4', text: `${last.phase} (${last.reason}), but an archive was published` });
  return violations;
};

const checkWebhook = (
  seen: readonly Seen[],
  uuid: string,
  last: Sight,
): readonly Omit<Violation, 'uuid'>[] => {
  const deliveries = exchanges(seen, 'receiver').filter(({ notes }) => notes['zipId'] === uuid);
  const violations: Omit<Violation, 'uuid'>[] = [];
  if (!deliveries.some(({ status, fault }) => isOk(status) && fault === undefined))
    violations.push({ rule: 'H7', text: `no delivery in ${deliveries.length} attempts` });
  const ids = new Set(deliveries.map(({ notes }) => notes['webhookId']));
  if (ids.size > 1) violations.push({ rule: 'H7', text: `${ids.size} webhook ids` });
  const wrong = deliveries.find(({ notes }) => notes['status'] !== last.apiStatus);
  if (wrong) violations.push({ rule: 'H7', text: `told ${wrong.notes['status']}, is ${last.apiStatus}` });
  return violations;
};

const checkJobsCreated = (seen: readonly Seen[], job: JobOutcome): readonly Omit<Violation, 'uuid'>[] => {
  const created = exchanges(seen, 'api-server').filter(
    ({ request, status, notes }) =>
      request.method === 'POST' && status === 201 && notes['job'] === zipJobName(job.uuid),
  ).length;
  return created > 1 + job.jobsDeleted ? [{ rule: 'F2', text: `${created} Jobs were created` }] : [];
};

const checkJob = (seen: readonly Seen[], job: JobOutcome): readonly Violation[] => {
  const sights = sightsOf(seen, job.uuid);
  const found = [...checkStates(sights), ...checkJobsCreated(seen, job)];
  const last = sights.at(-1);
  if (last !== undefined && isTerminal(last))
    found.push(...checkArchive(seen, job, last), ...checkWebhook(seen, job.uuid, last));
  return found.map((violation) => ({ ...violation, uuid: job.uuid }));
};

export interface Findings {
  readonly jobs: readonly JobOutcome[];
  /** Keys of uploads that are neither completed nor aborted. */
  readonly openUploads: readonly string[];
}

/** H4 to H8 and F2 over everything that was seen of these jobs. */
export const checkHistory = (
  seen: readonly Seen[],
  { jobs, openUploads }: Findings,
): readonly Violation[] => [
  ...jobs.flatMap((job) => checkJob(seen, job)),
  ...openUploads.map((upload): Violation => ({ rule: 'H8', text: `an upload to ${upload} is still open` })),
];
