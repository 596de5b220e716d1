import type { Phase } from '#crds/zip-job.ts';
import { isUuid } from '#crds/zip-job-facts.ts';
import { AppError } from '../errors.ts';

/** Which finished jobs of a project to list. A field that is absent selects all. */
export interface JobFilter {
  /** metadata.uid of the ZipProject. */
  readonly projectUid: string;
  readonly phases?: readonly Phase[];
  readonly reasons?: readonly string[];
  readonly bucket?: { readonly service: string; readonly bucketName: string };
  readonly createdBy?: string;
  /** The key of the archive, case-sensitive; `*` is any text, also none. */
  readonly key?: string;
  /** ID of the job in the API. */
  readonly id?: string;
  /** The start of an ID, in lower case, with its hyphens. */
  readonly idPrefix?: string;
  /** Finished at this time or later. */
  readonly finishedAfter?: Date;
  /** Finished before this time. */
  readonly finishedBefore?: Date;
}

const ANY_ID = '00000000-0000-0000-0000-000000000000';
const MAX_TEXT = 2_048;
const MAX_STARS = 8;
const MAX_VALUES = 100;

function isTime(time: Date): boolean {
  return time.getTime() >= 0 && time.getTime() < Date.UTC(10_000, 0);
}

function textsOf({ phases = [], reasons = [], bucket, createdBy, key }: JobFilter): readonly string[] {
  return [
    ...phases,
    ...reasons,
    ...(bucket === undefined ? [] : [bucket.service, bucket.bucketName]),
    ...(createdBy === undefined ? [] : [createdBy]),
    ...(key === undefined ? [] : [key]),
  ];
}

function textProblem(filter: JobFilter): string | undefined {
  const texts = textsOf(filter);
  if (texts.some(({ length }) => length > MAX_TEXT)) return `has a text of more than ${MAX_TEXT} characters`;
  return texts.some((text) => text.includes('\0')) ? 'contains a NUL character' : undefined;
}

function problemOf(filter: JobFilter): string | undefined {
  const { phases = [], reasons = [], key = '', idPrefix = '', finishedAfter, finishedBefore } = filter;
  const times = [finishedAfter, finishedBefore].filter((time) => time !== undefined);
  if (phases.length > MAX_VALUES || reasons.length > MAX_VALUES)
    return `has more than ${MAX_VALUES} states or reasons`;
  if (key.split('*').length > MAX_STARS + 1) return `has a key with more than ${MAX_STARS} stars`;
  if (!isUuid(idPrefix + ANY_ID.slice(idPrefix.length))) return 'has an invalid start of an ID';
  if (!times.every(isTime)) return 'has a time that is invalid, or not in the years 1970 to 9999';
  return textProblem(filter);
}

/** @throws AppError with code `InvalidFilter` for values that PostgreSQL refuses, or whose search takes too long */
export function checkFilter(filter: JobFilter): void {
  const problem = problemOf(filter);
  if (problem === undefined) return;
  throw new AppError(`The filter of the job list ${problem}. Correct it.`, {
    code: 'InvalidFilter',
    retryable: false,
  });
}

/** The pattern of LIKE for a key with `*`. */
function likePattern(key: string): string {
  return key.replaceAll(/[\\%_]/g, (character) => `\\${character}`).replaceAll(/\*+/g, '%');
}

/** Adds a value to the parameters of a statement, and returns its placeholder. */
export type AddValue = (value: unknown) => string;

/** A condition of SQL on a job. */
export type Condition = (add: AddValue) => string;

/** How a search finds the jobs of a filter. */
export interface SearchPlan {
  /**
   * A matching job meets one of them. For each, an index has the jobs that meet it, in the order of the list. Empty: no job can match.
   */
  readonly read: readonly Condition[];
  /** A job that was read matches if it meets all of them. */
  readonly match: readonly Condition[];
  /** Every job that is read matches, but for those whose hash is the same by accident. */
  readonly isIndexed: boolean;
}

/** One field of a filter. */
interface Part {
  /** Or an expression. */
  readonly column: string;
  /** Of which the column has one. */
  readonly values: readonly string[];
  /** The index of the lowest rank is read. */
  readonly rank: number;
  /** The condition of a partial index. */
  readonly indexed?: string;
}

/** A name may be that of a bucket of each service. */
const BUCKET = `service || '/' || bucket`;
const NO_INDEX = 9;
/** Each of several values is read by itself, in the order of its index. */
const MOST_READS = 16;
/** What most jobs have; the index of the column leaves these jobs out. A list that is read in its order finds them soon. */
const USUAL = { reason: 'Uploaded', phase: 'Succeeded' } as const;

function oneOf(column: keyof typeof USUAL, values: readonly string[], rank: number): Part {
  const isIndexed = values.length <= MOST_READS && !values.includes(USUAL[column]);
  return {
    column,
    values: [...new Set(values)],
    rank: isIndexed ? rank : NO_INDEX,
    indexed: `${column} <> '${USUAL[column]}'`,
  };
}

/** The fields that are compared with one or several values. */
function partsOf({ id, key, reasons, phases, bucket, createdBy }: JobFilter): readonly Part[] {
  const parts = [
    id !== undefined && { column: 'id', values: isUuid(id) ? [id] : [], rank: 0 },
    key !== undefined && !key.includes('*') && { column: 'key', values: [key], rank: 1 },
    reasons !== undefined && oneOf('reason', reasons, 2),
    phases !== undefined && oneOf('phase', phases, 3),
    bucket !== undefined && { column: BUCKET, values: [`${bucket.service}/${bucket.bucketName}`], rank: 4 },
    createdBy !== undefined && { column: 'created_by', values: [createdBy], rank: NO_INDEX },
  ];
  return parts.filter((part) => part !== false).toSorted((a, b) => a.rank - b.rank);
}

function inProject(projectUid: string): Condition {
  return (add) => `project_uid = ${add(projectUid)}`;
}

/** The expression of the index, and nothing else that PostgreSQL could read another index for, such as the project. */
function hasHash(projectUid: string, { column, indexed }: Part, value: string): Condition {
  const also = indexed === undefined ? '' : ` AND ${indexed}`;
  return (add) =>
    `hashtextextended(project_uid::text || ${column}, 0) = hashtextextended(${add(projectUid)}::uuid::text || ${add(value)}, 0)${also}`;
}

function toMatch({ column, values }: Part): Condition {
  return (add) => `${column} = ANY (${add(values)}::${column === 'id' ? 'uuid' : 'text'}[])`;
}

function readsOf({ projectUid }: JobFilter, part: Part | undefined): readonly Condition[] | undefined {
  if (part === undefined || part.rank >= NO_INDEX) return undefined;
  if (part.column !== 'id') return part.values.map((value) => hasHash(projectUid, part, value));
  return part.values.map((id) => (add) => `${inProject(projectUid)(add)} AND id = ${add(id)}`);
}

/** IDs with the same start are a range of the index, although not in the order of the list: few jobs have the same. */
function hasIdPrefix(projectUid: string, prefix: string): Condition {
  const rest = ANY_ID.slice(prefix.length);
  return (add) =>
    `${inProject(projectUid)(add)} AND id BETWEEN ${add(prefix + rest)}::uuid AND ${add(prefix + rest.replaceAll('0', 'f'))}::uuid`;
}

/** Reads the index that probably has the fewest jobs of the filter, and compares the other fields with these jobs. */
export function planSearch(filter: JobFilter): SearchPlan {
  const { projectUid, key, idPrefix } = filter;
  const parts = partsOf(filter);
  const [best, ...others] = parts;
  const withPrefix = idPrefix === undefined ? undefined : hasIdPrefix(projectUid, idPrefix);
  const read = withPrefix === undefined ? readsOf(filter, best) : [withPrefix];
  const isPattern = key?.includes('*') === true;
  return {
    read: read ?? [inProject(projectUid)],
    match: [
      inProject(projectUid),
      ...parts.map(toMatch),
      ...(withPrefix === undefined ? [] : [withPrefix]),
      ...(isPattern ? [(add: AddValue) => `key LIKE ${add(likePattern(key))}`] : []),
    ],
    isIndexed: !isPattern && (read === undefined || withPrefix !== undefined ? parts : others).length === 0,
  };
}
