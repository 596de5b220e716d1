import { defined } from '#runtime/optional.ts';
import type { HeaderValue, ResponseHead } from './http-get.ts';
import { SourceFaultError } from './source-error.ts';

/** What the head of a 200 tells about the file. */
export interface SourceHead {
  readonly declaredLength: number | undefined;
  readonly lastModified: Date | undefined;
  readonly lengthUnverified: boolean;
  readonly contentEncoded: boolean;
  /** Bytes of the body; undefined when the head does not tell. */
  readonly total: number | undefined;
  /** Names exactly these bytes; undefined when the source gave no strong ETag. */
  readonly etag: string | undefined;
}

/** Where a broken download goes on. */
export interface ResumePoint {
  readonly from: number;
  readonly total: number | undefined;
  readonly etag: string;
}

export const invalid = (text: string, httpStatus?: number): SourceFaultError =>
  new SourceFaultError({
    code: 'SourceInvalid',
    text,
    retryable: false,
    ...defined({ httpStatus }),
  });

const readLength = (value: HeaderValue): number | undefined => {
  if (value === undefined) return undefined;
  const length = typeof value === 'string' && /^\d{1,16}$/.test(value) ? Number(value) : Number.NaN;
  if (!Number.isSafeInteger(length)) throw invalid('a malformed Content-Length');
  return length;
};

const readDate = (value: HeaderValue): Date | undefined => {
  const time = typeof value === 'string' ? Date.parse(value) : Number.NaN;
  return Number.isNaN(time) ? undefined : new Date(time);
};

const isEncoded = (value: HeaderValue): boolean =>
  value !== undefined &&
  !(typeof value === 'string' && ['', 'identity'].includes(value.trim().toLowerCase()));

/** A weak ETag (`W/"…"`) names bytes that mean the same, not the same bytes. */
const STRONG_ETAG = /^"[\x21\x23-\x7e\x80-\xff]*"$/;

const strongEtag = (value: HeaderValue): string | undefined =>
  typeof value === 'string' && STRONG_ETAG.test(value) ? value : undefined;

/** @throws SourceFaultError for a length that is none. */
export const readSourceHead = ({ headers }: ResponseHead): SourceHead => {
  const total = readLength(headers['content-length']);
  const contentEncoded = isEncoded(headers['content-encoding']);
  return {
    declaredLength: contentEncoded ? undefined : total,
    lastModified: readDate(headers['last-modified']),
    lengthUnverified: total === undefined && headers['transfer-encoding'] === undefined,
    contentEncoded,
    total,
    etag: contentEncoded ? undefined : strongEtag(headers['etag']),
  };
};

const CONTENT_RANGE = /^bytes (\d{1,16})-(\d{1,16})\/(\d{1,16})$/;

const changed = (text: string, httpStatus: number): SourceFaultError =>
  new SourceFaultError({ code: 'SourceChanged', text, retryable: true, voidsReceived: true, httpStatus });

const isContinuation = ({ headers }: ResponseHead, point: ResumePoint): boolean => {
  const range = headers['content-range'];
  const [, start, end, total] = (typeof range === 'string' ? CONTENT_RANGE.exec(range) : undefined) ?? [];
  return (
    Number(start) === point.from &&
    Number(end) >= point.from &&
    Number(end) < Number(total) &&
    (point.total === undefined || Number(total) === point.total) &&
    strongEtag(headers['etag']) === point.etag &&
    !isEncoded(headers['content-encoding'])
  );
};

/** The size of the whole file by a Content-Range that was checked. */
export const totalOfRange = ({ headers }: ResponseHead): number =>
  Number(CONTENT_RANGE.exec(String(headers['content-range']))?.[3]);

/**
 * Makes sure that the answer goes on exactly where the bytes received so far end, in the same file: 206, the start that was
 * asked for, the same size and the same strong ETag.
 * @throws SourceFaultError that voids what was received.
 */
export const assertContinuation = (head: ResponseHead, point: ResumePoint): void => {
  if (head.status === 206 && isContinuation(head, point)) return;
  if (head.status !== 200 || strongEtag(head.headers['etag']) !== point.etag)
    throw changed('the download was interrupted, and the source has changed since', head.status);
  throw new SourceFaultError({
    code: 'SourceTruncated',
    text: 'the download was interrupted, and the source does not support range requests',
    retryable: true,
    voidsReceived: true,
  });
};
