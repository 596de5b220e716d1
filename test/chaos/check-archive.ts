/** Checks what the history database has after a schedule in which it was away. */
import { zipJobName } from '#crds/api-group.ts';
import type { ArchivedRow } from './archive-database.ts';
import { isTerminal, type JobOutcome } from './check-job.ts';
import type { Seen } from './observations.ts';
import type { Rule, Sight, Violation } from './violation.ts';

/** The note of the start of an absence, with its kind. */
export const DATABASE_AWAY = 'the history database is away: ';

/** The note of a response while the database is away, with its status. */
export const UNKNOWN_ID = 'an unknown id while the database is away got ';

export interface ArchiveFindings {
  readonly jobs: readonly Pick<JobOutcome, 'uuid'>[];
  /** Everything that the database has of the project, also of earlier schedules. */
  readonly rows: readonly ArchivedRow[];
  /** Jobs of the project in the statistics. */
  readonly counted: number;
  /** Names of ZipJobs whose loss was reported by an Event. */
  readonly reportedLost: ReadonlySet<string>;
  /** The status in the response of the API about each job after its ZipJob was deleted, by its ID. */
  readonly responses: ReadonlyMap<string, string>;
}

/** A job that was deleted before it ran is not stored. */
function mustBeStored(sights: readonly Sight[]): boolean {
  return sights.some((sight) => sight.isPodActive || (isTerminal(sight) && sight.reason !== 'Deleted'));
}

function checkStored(
  { uuid }: Pick<JobOutcome, 'uuid'>,
  sights: readonly Sight[],
  { rows, responses, reportedLost }: ArchiveFindings,
): readonly Rule[] {
  const [row, ...more] = rows.filter(({ id }) => id === uuid);
  if (more.length > 0) return [{ rule: 'G8', text: `is stored ${more.length + 1} times` }];
  if (row === undefined) {
    const isLost = mustBeStored(sights) && !reportedLost.has(zipJobName(uuid));
    return isLost ? [{ rule: 'G8', text: 'finished, but is neither stored nor reported as lost' }] : [];
  }
  const last = sights.findLast(isTerminal);
  const rules: Rule[] = [];
  if (last !== undefined && (row.phase !== last.phase || row.reason !== last.reason))
    rules.push({
      rule: 'G8',
      text: `is stored as ${row.phase} (${row.reason}), but ended as ${last.phase} (${last.reason})`,
    });
  if (last !== undefined && responses.get(uuid) !== last.apiStatus)
    rules.push({
      rule: 'G8',
      text: `the API returned ${responses.get(uuid)} after the deletion, but it ended as ${last.apiStatus}`,
    });
  return rules;
}

/** An unknown id gets 503. A single response may be missing, but without any nothing was checked. */
function checkUnknown(seen: readonly Seen[]): readonly Violation[] {
  const notes = seen.flatMap((one) => (one.kind === 'note' ? [one.text] : []));
  const responses = notes.filter((text) => text.startsWith(UNKNOWN_ID));
  const wrong = responses.find((text) => text !== `${UNKNOWN_ID}503`);
  if (wrong !== undefined) return [{ rule: 'G8', text: wrong }];
  return responses.length === 0 && notes.some((text) => text.startsWith(DATABASE_AWAY))
    ? [{ rule: 'G8', text: 'no request for an unknown id got a response while the database was away' }]
    : [];
}

/** G8: each finished job is stored and counted once, and is found afterwards. An unknown id never gets 404 without the database. */
export function checkArchive(seen: readonly Seen[], findings: ArchiveFindings): readonly Violation[] {
  const { jobs, rows, counted } = findings;
  function sightsOf(uuid: string): readonly Sight[] {
    return seen
      .flatMap((one) => (one.kind === 'zip-job' && one.name === zipJobName(uuid) ? [one] : []))
      .toSorted((a, b) => a.at - b.at);
  }
  return [
    ...jobs.flatMap((job) =>
      checkStored(job, sightsOf(job.uuid), findings).map((rule) => ({ ...rule, uuid: job.uuid })),
    ),
    ...(counted === rows.length
      ? []
      : [{ rule: 'G8' as const, text: `${rows.length} jobs are stored, and ${counted} counted` }]),
    ...checkUnknown(seen),
  ];
}
