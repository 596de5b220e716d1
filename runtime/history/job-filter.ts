import type { Phase } from '#crds/zip-job.ts';
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

/** Conditions on columns that jobs and usage_hours have. */
export function sharedConditions({ phases, reasons, bucket }: JobFilter, add: AddValue): readonly string[] {
  return [
    ...(phases === undefined ? [] : [`phase = ANY (${add(phases)}::text[])`]),
    ...(reasons === undefined ? [] : [`reason = ANY (${add(reasons)}::text[])`]),
    ...(bucket === undefined
      ? []
      : [`service = ${add(bucket.service)}`, `bucket = ${add(bucket.bucketName)}`]),
  ];
}

function keyCondition(key: string, add: AddValue): string {
  return key.includes('*') ? `key LIKE ${add(likePattern(key))}` : `key = ${add(key)}`;
}

/** All conditions but project and time. */
export function jobConditions(filter: JobFilter, add: AddValue): readonly string[] {
  return [
    ...sharedConditions(filter, add),
    ...(filter.createdBy === undefined ? [] : [`created_by = ${add(filter.createdBy)}`]),
    ...(filter.key === undefined ? [] : [keyCondition(filter.key, add)]),
  ];
}

/** True if the conditions may exclude jobs within a stretch of time. */
export function isNarrow(filter: JobFilter): boolean {
  return jobConditions(filter, () => '').length > 0;
}

/** True for a search that finds its jobs by the hash of their key. */
export function hasWholeKey(filter: JobFilter): filter is JobFilter & { readonly key: string } {
  return filter.key !== undefined && !filter.key.includes('*');
}
