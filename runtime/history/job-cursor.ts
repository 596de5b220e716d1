import { isUuid } from '#crds/zip-job-facts.ts';
import { AppError } from '../errors.ts';
import { readTime } from '../time/read-time.ts';

/** A place in the list of a project, which is sorted by end and uid, newest first. */
export interface JobPlace {
  /** RFC 3339 in UTC with microseconds, as PostgreSQL stores it. */
  readonly finishedAt: string;
  readonly uid: string;
}

/** Before every job that finished at this time or later. */
export function placeAt(finishedAt: string): JobPlace {
  return {
    finishedAt,
    uid: '00000000-0000-0000-0000-000000000000',
  };
}

const MAX_LENGTH = 200;
const TIME = /^(?:19[7-9]|2\d\d)\d-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(?:\.\d{1,6})?Z$/;

function isPlace(value: unknown): value is readonly [string, string] {
  return (
    Array.isArray(value) &&
    value.length === 2 &&
    value.every((part) => typeof part === 'string') &&
    readTime(String(value[0]), TIME) !== undefined &&
    isUuid(String(value[1]))
  );
}

/** Text for URLs. It has only the end and the uid of a job, so it is valid with any filter. */
export function writeCursor({ finishedAt, uid }: JobPlace): string {
  return Buffer.from(JSON.stringify([finishedAt, uid])).toString('base64url');
}

function parse(text: string): unknown {
  try {
    return JSON.parse(Buffer.from(text, 'base64url').toString());
  } catch {
    return undefined;
  }
}

/** @throws AppError with code `InvalidCursor` for any text that `writeCursor` did not write */
export function readCursor(text: string): JobPlace {
  const value = text.length <= MAX_LENGTH ? parse(text) : undefined;
  if (!isPlace(value))
    throw new AppError('The cursor of the job list is invalid. Start again from the first page.', {
      code: 'InvalidCursor',
      retryable: false,
    });
  const [finishedAt, uid] = value;
  return { finishedAt, uid };
}
