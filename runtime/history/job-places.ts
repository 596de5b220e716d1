/**
 * Where jobs are whose day is not known. `job_places` has the end of each job by ID and by key. After an upgrade, jobs that were stored
 * before it existed are added from the newest day to the oldest; until then, older days are searched without it.
 */
import { createHash } from 'node:crypto';
import type { HistoryDatabase } from './database.ts';
import type { JobPlace } from './job-cursor.ts';
import { utcText } from './job-select.ts';

type Database = Pick<HistoryDatabase, 'query'>;

/** The start (RFC 3339) of the first day of which all jobs have places; null if all jobs have. */
const SINCE = `CASE WHEN isfinite(progress.since) THEN to_char(progress.since, 'YYYY-MM-DD"T00:00:00Z"') END AS since`;

interface PlaceRow {
  /** Null, like `uid`, in the only row if nothing was found. */
  readonly finishedAt: string | null;
  readonly uid: string | null;
  readonly since: string | null;
}

/** Always returns a row, so that one statement says what was found and what was searched. */
function withProgress(places: string): string {
  return `
SELECT place.uid, ${utcText('place.finished_at')} AS "finishedAt", ${SINCE}
FROM zipjobs.job_places_progress AS progress LEFT JOIN LATERAL (${places}) AS place ON true`;
}

export interface FoundPlaces {
  /** Newest first. */
  readonly places: readonly JobPlace[];
  /** Jobs that finished before this time (RFC 3339) may be missing. Absent: all were searched. */
  readonly since?: string;
}

function toFound(rows: readonly PlaceRow[]): FoundPlaces {
  const since = rows[0]?.since;
  return {
    places: rows.flatMap(({ finishedAt, uid }) =>
      finishedAt !== null && uid !== null ? [{ finishedAt, uid }] : [],
    ),
    ...(typeof since === 'string' && { since }),
  };
}

/** Prepared, because planning takes longer than the search. */
const BY_ID = {
  name: 'zipjobs_places_by_id',
  text: withProgress(`
  SELECT finished_at, uid FROM zipjobs.job_places WHERE project_uid = $1 AND id = $2
  ORDER BY finished_at DESC, uid DESC LIMIT $3`),
};

/**
 * The sum keeps the planner from reading each partition in the order of its primary key, which would read all jobs of the project.
 * Not prepared: with the time as a value, only the partitions before it are planned and locked.
 */
const BY_ID_BEFORE = `
SELECT uid, ${utcText('finished_at')} AS "finishedAt" FROM zipjobs.jobs
WHERE project_uid = $1 AND id = $2 AND finished_at < $3
ORDER BY finished_at + interval '0' DESC, uid DESC LIMIT $4`;

function newestFirst(a: JobPlace, b: JobPlace): number {
  return a.finishedAt === b.finishedAt ? (a.uid < b.uid ? 1 : -1) : a.finishedAt < b.finishedAt ? 1 : -1;
}

function isSince(place: JobPlace | undefined, since: string): boolean {
  return place !== undefined && Date.parse(place.finishedAt) >= Date.parse(since);
}

export interface JobId {
  /** metadata.uid of the ZipProject. */
  readonly projectUid: string;
  /** The ID in the API and in webhooks. */
  readonly id: string;
}

/**
 * The places of the newest `most` jobs with an ID, newest first: a name, and so its ID, may have been used again.
 * @throws AppError of HistoryDatabase
 */
export async function placesOfId(
  database: Database,
  { projectUid, id, most }: JobId & { readonly most: number },
  signal?: AbortSignal,
): Promise<readonly JobPlace[]> {
  const values = [projectUid, id, most];
  const { places, since } = toFound(await database.query<PlaceRow>({ ...BY_ID, values }, signal));
  if (since === undefined || (places.length === most && isSince(places.at(-1), since))) return places;
  const older = await database.query<JobPlace>(
    { text: BY_ID_BEFORE, values: [projectUid, id, since, most] },
    signal,
  );
  const all = new Map([...places, ...older].map((place) => [`${place.finishedAt} ${place.uid}`, place]));
  return [...all.values()].sort(newestFirst).slice(0, most);
}

/** The same as of the trigger `add_places`. */
function keyHash(projectUid: string, key: string): string {
  const digest = createHash('sha256').update(`${projectUid.toLowerCase()}${key}`).digest('hex');
  return BigInt.asIntN(64, BigInt(`0x${digest.slice(0, 16)}`)).toString();
}

export interface KeyStretch {
  readonly projectUid: string;
  readonly key: string;
  readonly from: JobPlace;
  /** RFC 3339. */
  readonly to: string;
  readonly most: number;
}

/**
 * The places of the next `most` jobs with a key that finished at `to` or later, after the place `from`, newest first. Other jobs may
 * have the same hash, so compare the key. Jobs before `since` are not included.
 * @throws AppError of HistoryDatabase
 */
export async function placesOfKey(
  database: Database,
  { projectUid, key, from, to, most }: KeyStretch,
  signal?: AbortSignal,
): Promise<FoundPlaces> {
  const text = withProgress(`
  SELECT finished_at, uid FROM zipjobs.job_places
  WHERE key_hash = $1 AND finished_at <= $2 AND finished_at >= $3 AND finished_at >= progress.since
    AND (finished_at, uid) < ($2::timestamptz, $4::uuid)
  ORDER BY finished_at DESC, uid DESC LIMIT $5`);
  const values = [keyHash(projectUid, key), from.finishedAt, to, from.uid, most];
  return toFound(await database.query<PlaceRow>({ text, values }, signal));
}
