/** Checks a history against the rules that hold under all faults. */
import { zipJobName } from '#crds/api-group.ts';
import type { JobFault } from './allowed-ends.ts';
import { checkJob, endOf, type JobOutcome, type JobStory } from './check-job.ts';
import { checkKey } from './check-keys.ts';
import { checkInherited, countResumes, type ResumeCounts } from './check-resumes.ts';
import { checkFence, readUploads } from './check-uploads.ts';
import type { JobEnd } from './count-ends.ts';
import { BUCKET_DELETED, type Place, type Seen, STORE_AWAY } from './observations.ts';
import type { Rule, SeenExchange, Violation } from './violation.ts';

function exchanges(seen: readonly Seen[], place: Place): readonly SeenExchange[] {
  return seen.flatMap((one) => (one.kind === 'exchange' && one.place === place ? [one] : []));
}

/**
 * Errors of a server, which its client may give up on. Not a lost response, because its request was executed, and not a 404 about
 * an upload that is being completed.
 */
function isError({ fault, injected }: SeenExchange): boolean {
  return (fault === 'response' && injected !== 404) || fault === 'refuse';
}

function faultsOf(seen: readonly Seen[], job: JobOutcome): readonly JobFault[] {
  function met(place: Place, isOwn: (path: string) => boolean): boolean {
    return exchanges(seen, place).some((one) => isError(one) && isOwn(decodeURIComponent(one.request.path)));
  }
  const isBucketDeleted = seen.some((one) => one.kind === 'note' && one.text === BUCKET_DELETED);
  return [
    ...(met('source', (path) => job.sources.includes(path)) ? (['source'] as const) : []),
    ...(met('store', (path) => path.includes(job.key)) ? (['store'] as const) : []),
    ...(isBucketDeleted ? (['bucket'] as const) : []),
    ...(job.jobsDeleted > 0 ? (['job'] as const) : []),
  ];
}

function storiesOf(
  seen: readonly Seen[],
  jobs: readonly JobOutcome[],
  uploads: JobStory['uploads'],
): readonly JobStory[] {
  const api = exchanges(seen, 'api-server');
  const deliveries = exchanges(seen, 'receiver');
  return jobs.map((job) => {
    const name = zipJobName(job.uuid);
    return {
      job,
      uploads,
      faults: faultsOf(seen, job),
      responses: seen.flatMap((one) =>
        one.kind === 'response' && one.uuid === job.uuid ? [one.status] : [],
      ),
      sights: seen
        .flatMap((one) => (one.kind === 'zip-job' && one.name === name ? [one] : []))
        .toSorted((a, b) => a.at - b.at),
      api: api.filter(({ request, notes }) => request.path.includes(name) || notes['job'] === name),
      deliveries: deliveries.filter(({ notes }) => notes['zipId'] === job.uuid),
    };
  });
}

/** Two events never have the same ID. */
function checkIds(stories: readonly JobStory[]): readonly Rule[] {
  const ids = stories.flatMap(({ deliveries }) => [
    ...new Set(deliveries.map(({ notes }) => notes['webhookId'] ?? '')),
  ]);
  return new Set(ids).size < ids.length ? [{ rule: 'H7', text: 'two events have the same webhook ID' }] : [];
}

/** A request, however often its client repeats it, creates at most one ZipJob. */
function checkCreated(seen: readonly Seen[], keys: readonly string[]): readonly Rule[] {
  const sights = seen.flatMap((one) => (one.kind === 'zip-job' ? [one] : []));
  return [...new Set(keys)].flatMap((key): readonly Rule[] => {
    const created = new Set(sights.filter((sight) => sight.key === key).map(({ name }) => name)).size;
    const requests = keys.filter((one) => one === key).length;
    return created > requests
      ? [{ rule: 'F1', text: `${created} ZipJobs were created by ${requests} requests for ${key}` }]
      : [];
  });
}

/**
 * An open upload cannot be published any more, so its job does not wait for a store that is away for long. The lifecycle
 * rule of the bucket removes it.
 */
function checkOpenUploads(
  openUploads: readonly string[],
  stories: readonly JobStory[],
  seen: readonly Seen[],
): readonly Rule[] {
  const wasAway = seen.some((one) => one.kind === 'note' && one.text === STORE_AWAY);
  function mayRemain(upload: string): boolean {
    return wasAway && stories.some(({ job, faults }) => job.key === upload && faults.includes('store'));
  }
  return openUploads
    .filter((upload) => !mayRemain(upload))
    .map((upload) => ({ rule: 'H8', text: `the upload to ${upload} is still open` }));
}

export interface Findings {
  /** The accepted jobs. */
  readonly jobs: readonly JobOutcome[];
  /** The key of each request, accepted or not. */
  readonly keys: readonly string[];
  /** Keys of uploads that are neither completed nor aborted. */
  readonly openUploads: readonly string[];
}

export interface Judgement {
  readonly violations: readonly Violation[];
  /** The end of each accepted job. */
  readonly ends: readonly JobEnd[];
  readonly bytesTwice: number;
  readonly resumes: ResumeCounts;
}

/** Checks every rule against the history of these jobs. */
export function checkHistory(seen: readonly Seen[], { jobs, keys, openUploads }: Findings): Judgement {
  const api = exchanges(seen, 'api-server');
  const store = exchanges(seen, 'store');
  const uploads = readUploads(api, store);
  const stories = storiesOf(seen, jobs, uploads);
  const byKey = Map.groupBy(stories, ({ job }) => job.key);
  const violations = [
    ...stories.flatMap((story) => checkJob(story).map((rule) => ({ ...rule, uuid: story.job.uuid }))),
    ...[...byKey.values()].flatMap(checkKey),
    ...checkIds(stories),
    ...checkCreated(seen, keys),
    ...checkFence(uploads),
    ...checkInherited(api, store),
    ...checkOpenUploads(openUploads, stories, seen),
  ];
  const ends = stories.map((story) => ({ kind: story.job.kind, end: endOf(story) }));
  return { violations, ends, bytesTwice: uploads.bytesTwice, resumes: countResumes(api) };
}
