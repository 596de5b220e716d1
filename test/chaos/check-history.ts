/** Checks a history against the rules that hold under all faults. */
import { zipJobName } from '#crds/api-group.ts';
import { checkJob, type JobOutcome, type JobStory } from './check-job.ts';
import { checkKey } from './check-keys.ts';
import { checkFence, readUploads } from './check-uploads.ts';
import type { Place, Seen } from './history.ts';
import type { Rule, SeenExchange, Violation } from './violation.ts';

const exchanges = (seen: readonly Seen[], place: Place): readonly SeenExchange[] =>
  seen.flatMap((one) => (one.kind === 'exchange' && one.place === place ? [one] : []));

const storiesOf = (
  seen: readonly Seen[],
  jobs: readonly JobOutcome[],
  uploads: JobStory['uploads'],
): readonly JobStory[] => {
  const api = exchanges(seen, 'api-server');
  const deliveries = exchanges(seen, 'receiver');
  return jobs.map((job) => {
    const name = zipJobName(job.uuid);
    return {
      job,
      uploads,
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
};

/** Two events never have the same ID. */
const checkIds = (stories: readonly JobStory[]): readonly Rule[] => {
  const ids = stories.flatMap(({ deliveries }) => [
    ...new Set(deliveries.map(({ notes }) => notes['webhookId'] ?? '')),
  ]);
  return new Set(ids).size < ids.length ? [{ rule: 'H7', text: 'two events have the same webhook ID' }] : [];
};

export interface Findings {
  readonly jobs: readonly JobOutcome[];
  /** Keys of uploads that are neither completed nor aborted. */
  readonly openUploads: readonly string[];
}

/** Checks every rule against the history of these jobs. */
export const checkHistory = (
  seen: readonly Seen[],
  { jobs, openUploads }: Findings,
): readonly Violation[] => {
  const uploads = readUploads(exchanges(seen, 'api-server'), exchanges(seen, 'store'));
  const stories = storiesOf(seen, jobs, uploads);
  const byKey = Map.groupBy(stories, ({ job }) => job.key);
  return [
    ...stories.flatMap((story) => checkJob(story).map((rule) => ({ ...rule, uuid: story.job.uuid }))),
    ...[...byKey.values()].flatMap(checkKey),
    ...checkIds(stories),
    ...checkFence(uploads),
    ...openUploads.map((upload): Rule => ({ rule: 'H8', text: `the upload to ${upload} is still open` })),
  ];
};
