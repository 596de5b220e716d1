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
  /** Finished at this time or later. */
  readonly finishedAfter?: Date;
  /** Finished before this time. */
  readonly finishedBefore?: Date;
}

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

function problemOf(filter: JobFilter): string | undefined {
  const { phases = [], reasons = [], key = '', finishedAfter, finishedBefore } = filter;
  const texts = textsOf(filter);
  const times = [finishedAfter, finishedBefore].filter((time) => time !== undefined);
  if (phases.length > MAX_VALUES || reasons.length > MAX_VALUES)
    return `has more than ${MAX_VALUES} states or reasons`;
  if (texts.some(({ length }) => length > MAX_TEXT)) return `has a text of more than ${MAX_TEXT} characters`;
  if (texts.some((text) => text.includes('\0'))) return 'contains a NUL character';
  if (key.split('*').length > MAX_STARS + 1) return `has a key with more than ${MAX_STARS} stars`;
  return times.every(isTime) ? undefined : 'has a time that is invalid, or not in the years 1970 to 9999';
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
   * A matching job meets one of them. For each, an index has exactly the jobs that meet it, in the order of the list. Empty: no job
   * can match.
   */
  readonly read: readonly Condition[];
  /** A matching job meets all of them too. Empty: every job that is read matches. */
  readonly rest: readonly Condition[];
}

/** One field of a filter. */
interface Part {
  /** Conditions of which one must be met. */
  readonly anyOf: readonly Condition[];
  /** The index of the lowest rank is read. */
  readonly rank: number;
}

const NO_INDEX = 9;
/** Each of several values is read by itself, in the order of its index. */
const MOST_READS = 16;
/** Of most jobs. */
const USUAL: ReadonlySet<string> = new Set(['Succeeded', 'Uploaded']);

function oneOf(column: string, values: readonly string[], rank: number): Part {
  const isUsual = values.some((value) => USUAL.has(value));
  return {
    anyOf: [...new Set(values)].map((value) => (add) => `${column} = ${add(value)}`),
    rank: values.length > MOST_READS ? NO_INDEX : isUsual ? rank + 3 : rank,
  };
}

/** Other keys may have the same hash. */
function keyPart(key: string): Part {
  if (key.includes('*')) return { anyOf: [(add) => `key LIKE ${add(likePattern(key))}`], rank: NO_INDEX };
  function hasKey(add: AddValue): string {
    const value = add(key);
    return `hashtextextended(key, 0) = hashtextextended(${value}, 0) AND key = ${value}`;
  }
  return { anyOf: [hasKey], rank: 1 };
}

function bucketPart({ service, bucketName }: NonNullable<JobFilter['bucket']>): Part {
  return { anyOf: [(add) => `bucket = ${add(bucketName)} AND service = ${add(service)}`], rank: 4 };
}

/** All fields but project and time. */
function partsOf({ id, key, reasons, phases, bucket, createdBy }: JobFilter): readonly Part[] {
  const parts = [
    id !== undefined && { anyOf: isUuid(id) ? [(add: AddValue) => `id = ${add(id)}`] : [], rank: 0 },
    key !== undefined && keyPart(key),
    reasons !== undefined && oneOf('reason', reasons, 2),
    phases !== undefined && oneOf('phase', phases, 3),
    bucket !== undefined && bucketPart(bucket),
    createdBy !== undefined && oneOf('created_by', [createdBy], NO_INDEX),
  ];
  return parts.filter((part) => part !== false);
}

function toRest({ anyOf }: Part): Condition {
  return (add) =>
    anyOf.length === 0 ? 'false' : `(${anyOf.map((condition) => condition(add)).join(' OR ')})`;
}

/** Reads the index that probably has the fewest jobs of the filter, and compares the other fields with these jobs. */
export function planSearch(filter: JobFilter): SearchPlan {
  const parts = partsOf(filter).toSorted((a, b) => a.rank - b.rank);
  const [best, ...others] = parts;
  return best === undefined || best.rank >= NO_INDEX
    ? { read: [() => 'true'], rest: parts.map(toRest) }
    : { read: best.anyOf, rest: others.map(toRest) };
}
