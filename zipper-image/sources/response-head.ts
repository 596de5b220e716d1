import { readHttpDate } from '#runtime/http/http-date.ts';
import { defined } from '#runtime/optional.ts';
import type { HeaderValue, ResponseHead } from './http-get.ts';
import { SourceFaultError } from './source-error.ts';

/** The properties of a file from the head of a 200 response. */
export interface SourceHead {
  readonly declaredLength: number | undefined;
  readonly lastModified: Date | undefined;
  readonly lengthUnverified: boolean;
  readonly contentEncoded: boolean;
  /** Bytes of the body; undefined if the head does not declare them. */
  readonly total: number | undefined;
  /** Identifies exactly these bytes; undefined if the source has no strong ETag. */
  readonly etag: string | undefined;
  /** Last-Modified as received. Some sources derive the ETag from something other than the bytes. */
  readonly lastModifiedText: string | undefined;
}

/** The position at which a broken download resumes. */
export interface ResumePoint {
  readonly from: number;
  readonly total: number | undefined;
  readonly etag: string;
  readonly lastModifiedText: string | undefined;
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

const readDate = (value: HeaderValue): Date | undefined =>
  typeof value === 'string' ? readHttpDate(value, new Date()) : undefined;

const isEncoded = (value: HeaderValue): boolean =>
  value !== undefined &&
  !(typeof value === 'string' && ['', 'identity'].includes(value.trim().toLowerCase()));

/** A weak ETag (`W/"…"`) identifies equivalent content, not the same bytes. An empty one identifies nothing. */
const STRONG_ETAG = /^"[\x21\x23-\x7e\x80-\xff]+"$/;

const strongEtag = (value: HeaderValue): string | undefined =>
  typeof value === 'string' && STRONG_ETAG.test(value) ? value : undefined;

const readText = (value: HeaderValue): string | undefined =>
  value === undefined ? undefined : String(value);

/** @throws SourceFaultError for an invalid length */
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
    lastModifiedText: readText(headers['last-modified']),
  };
};

const CONTENT_RANGE = /^bytes (\d{1,16})-(\d{1,16})\/(\d{1,16})$/;

const changed = (text: string, httpStatus: number): SourceFaultError =>
  new SourceFaultError({ code: 'SourceChanged', text, retryable: true, voidsReceived: true, httpStatus });

/** A response to a range request need not repeat Last-Modified. */
const isSameBody = ({ headers }: ResponseHead, point: ResumePoint): boolean => {
  const lastModifiedText = readText(headers['last-modified']);
  return (
    strongEtag(headers['etag']) === point.etag &&
    (lastModifiedText === undefined || lastModifiedText === point.lastModifiedText)
  );
};

const isContinuation = (head: ResponseHead, point: ResumePoint): boolean => {
  const { headers } = head;
  const range = headers['content-range'];
  const [, start, end, total] = (typeof range === 'string' ? CONTENT_RANGE.exec(range) : undefined) ?? [];
  return (
    Number(start) === point.from &&
    Number(end) >= point.from &&
    Number(end) < Number(total) &&
    (point.total === undefined || Number(total) === point.total) &&
    isSameBody(head, point) &&
    !isEncoded(headers['content-encoding'])
  );
};

/** The size of the whole file from a validated Content-Range. */
export const totalOfRange = ({ headers }: ResponseHead): number =>
  Number(CONTENT_RANGE.exec(String(headers['content-range']))?.[3]);

/**
 * Checks that the response continues exactly after the received bytes, in the same file: status 206, the requested
 * start, the same size, the same strong ETag, and no other Last-Modified.
 * @throws SourceFaultError that discards the received bytes
 */
export const assertContinuation = (head: ResponseHead, point: ResumePoint): void => {
  if (head.status === 206 && isContinuation(head, point)) return;
  if (head.status !== 200 || !isSameBody(head, point))
    throw changed('the download was interrupted, and the source has changed since', head.status);
  throw new SourceFaultError({
    code: 'SourceTruncated',
    text: 'the download was interrupted, and the source does not support range requests',
    retryable: true,
    voidsReceived: true,
  });
};
