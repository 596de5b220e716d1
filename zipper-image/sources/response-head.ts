import { defined } from '#runtime/collections/optional.ts';
import { readHttpDate } from '#runtime/http/http-date.ts';
import { elementsOf } from './header-list.ts';
import type { HeaderValue, ResponseHead } from './http-get.ts';
import { SourceFaultError } from './source-error.ts';

/** The properties of a file from the head of a 200 response. */
export interface SourceHead {
  /** Bytes of the body; undefined if the head does not declare them. */
  readonly declaredLength: number | undefined;
  readonly lastModified: Date | undefined;
  readonly lengthUnverified: boolean;
  /** The codings of the bytes, which are kept as received; undefined if there are none. */
  readonly contentEncoding: string | undefined;
  /** Identifies exactly these bytes; undefined if the source has no strong ETag. */
  readonly etag: string | undefined;
  /** Last-Modified as received. Some sources derive the ETag from something other than the bytes. */
  readonly lastModifiedText: string | undefined;
  /** CRC-32 (hex) of the file, if the store of a bucket has it. */
  readonly crc32?: string;
  /** For `If-Range`: the strong ETag, or a Last-Modified that is one (RFC 9110, 8.8.2.2). */
  readonly validator: string | undefined;
}

/** The position at which a download starts behind the first byte. */
export interface ResumePoint {
  readonly from: number;
  /** The position behind the last byte; undefined for all that remain. */
  readonly to?: number | undefined;
  readonly total: number | undefined;
  /** Undefined if Last-Modified is the validator. */
  readonly etag: string | undefined;
  readonly lastModifiedText: string | undefined;
  readonly validator: string;
  readonly contentEncoding: string | undefined;
}

type Headers = ResponseHead['headers'];

export function invalid(text: string, httpStatus?: number): SourceFaultError {
  return new SourceFaultError({
    code: 'SourceInvalid',
    text,
    retryable: false,
    ...defined({ httpStatus }),
  });
}

function readLength(value: HeaderValue): number | undefined {
  if (value === undefined) return undefined;
  const length = typeof value === 'string' && /^\d+$/.test(value) ? Number(value) : Number.NaN;
  if (!Number.isSafeInteger(length)) throw invalid('the response has a malformed Content-Length');
  return length;
}

/**
 * How the end of the body is found: after a length, with the last chunk, or with the connection (RFC 9112, 6.3). Any other
 * coding hides where the body ends, or would have to be removed.
 * @throws SourceFaultError
 */
function readFraming(headers: Headers): Pick<SourceHead, 'declaredLength' | 'lengthUnverified'> {
  const coding = headers['transfer-encoding'];
  if (coding !== undefined && String(coding).toLowerCase() !== 'chunked')
    throw invalid('the response has a Transfer-Encoding other than chunked, so its end cannot be verified');
  const declaredLength = readLength(headers['content-length']);
  return { declaredLength, lengthUnverified: declaredLength === undefined && coding === undefined };
}

function readDate(value: HeaderValue): Date | undefined {
  return typeof value === 'string' ? readHttpDate(value, new Date()) : undefined;
}

/** Codings are case-insensitive, and `identity` is none (RFC 9110, 8.4.1). */
function readCoding(value: HeaderValue): string | undefined {
  const codings = elementsOf(value)
    .map((coding) => coding.toLowerCase())
    .filter((coding) => !['', 'identity'].includes(coding));
  return codings.length === 0 ? undefined : codings.join(',');
}

/** A weak ETag (`W/"…"`) identifies equivalent content, not the same bytes. An empty one identifies nothing. */
const STRONG_ETAG = /^"[\x21\x23-\x7e\x80-\xff]+"$/;

function strongEtag(value: HeaderValue): string | undefined {
  return typeof value === 'string' && STRONG_ETAG.test(value) ? value : undefined;
}

function readText(value: HeaderValue): string | undefined {
  return value === undefined ? undefined : String(value);
}

/** A server that changes a file twice within one second may not change its Last-Modified. */
const LEAST_AGE_MS = 1000;

function validatorIn(headers: Headers, etag: string | undefined): string | undefined {
  if (etag !== undefined) return etag;
  const [modified, now] = [readDate(headers['last-modified']), readDate(headers['date'])];
  const isStrong = modified && now && now.getTime() - modified.getTime() >= LEAST_AGE_MS;
  return isStrong === true ? readText(headers['last-modified']) : undefined;
}

const CONTENT_RANGE = /^bytes (\d+)-(\d+)\/(\d+|\*)$/i;
/** Also invalid forms, such as that of a Range header. */
const ANY_CONTENT_RANGE = /^bytes[\s=:]+(\d+)\s*-\s*(\d+)\s*\/\s*(\d+|\*)$/i;

/** Numbers that the header does not contain are NaN, which no comparison accepts. */
function readRange(value: HeaderValue, form = CONTENT_RANGE) {
  const [, start, end, total] = form.exec(String(value)) ?? [];
  return { start: Number(start), end: Number(end), total: Number(total) };
}

/** With the length of the whole file, the end does not matter: some servers send one too many. */
function describesPart(range: string, declaredLength: number | undefined): boolean {
  const { start, end, total } = readRange(range, ANY_CONTENT_RANGE);
  if (start === 0 && total === declaredLength) return false;
  return start > 0 || end + 1 < total || end + 1 > (declaredLength ?? Infinity);
}

/** Some servers send a part with status 200. A Content-Range of another unit says nothing about it. */
function isPart(headers: Headers, declaredLength: number | undefined): boolean {
  return elementsOf(headers['content-range']).some((range) => describesPart(range, declaredLength));
}

/** @throws SourceFaultError if the head does not describe a whole file */
export function readSourceHead({ headers }: ResponseHead): SourceHead {
  const framing = readFraming(headers);
  if (isPart(headers, framing.declaredLength))
    throw invalid('the response has status 200, but its Content-Range describes a part of the file', 200);
  const etag = strongEtag(headers['etag']);
  return {
    ...framing,
    lastModified: readDate(headers['last-modified']),
    contentEncoding: readCoding(headers['content-encoding']),
    etag,
    lastModifiedText: readText(headers['last-modified']),
    validator: validatorIn(headers, etag),
  };
}

function changed(text: string, httpStatus: number): SourceFaultError {
  return new SourceFaultError({
    code: 'SourceChanged',
    text,
    retryable: true,
    voidsReceived: true,
    httpStatus,
  });
}

/** A response to a range request need not repeat Last-Modified, unless that is the validator. */
function isSameBody({ headers }: ResponseHead, point: ResumePoint): boolean {
  const lastModifiedText = readText(headers['last-modified']);
  const mayLack = point.etag !== undefined && lastModifiedText === undefined;
  return (
    strongEtag(headers['etag']) === point.etag && (mayLack || lastModifiedText === point.lastModifiedText)
  );
}

/**
 * What identifies exactly these bytes for a later pod: a strong ETag and the Last-Modified behind it, or only that. Undefined if nothing
 * does, or if the bytes are encoded on the way.
 */
export function recordedValidator(head: SourceHead): string | undefined {
  const { validator, etag, lastModifiedText, contentEncoding } = head;
  if (contentEncoding !== undefined) return undefined;
  if (etag === undefined) return validator;
  return lastModifiedText === undefined ? etag : `${etag} ${lastModifiedText}`;
}

/** What every range of a file must have in common with the response of which this was recorded. `total`: its length. */
export function recordedResponse(recorded: string, total: number): Omit<ResumePoint, 'from' | 'to'> {
  const [etag = '', ...rest] = recorded.split(' ');
  const isTagged = strongEtag(etag) !== undefined;
  return {
    total,
    etag: isTagged ? etag : undefined,
    lastModifiedText: isTagged ? rest.join(' ') || undefined : recorded,
    validator: isTagged ? etag : recorded,
    contentEncoding: undefined,
  };
}

/**
 * A response to `If-Range` should not repeat Content-Encoding (RFC 9110, 15.3.7). Servers that compress on the way may serve
 * ranges of the file itself under the same ETag, but then the size differs.
 */
function isSameCoding({ headers }: ResponseHead, point: ResumePoint): boolean {
  const header = headers['content-encoding'];
  if (header === undefined && point.total !== undefined) return true;
  return readCoding(header) === point.contentEncoding;
}

function isContinuation(head: ResponseHead, point: ResumePoint): boolean {
  const { start, end, total } = readRange(head.headers['content-range']);
  return (
    start === point.from &&
    end >= point.from &&
    end < total &&
    (point.to === undefined || end + 1 === point.to) &&
    (point.total === undefined || total === point.total) &&
    isSameBody(head, point) &&
    isSameCoding(head, point)
  );
}

/** The size of the whole file from a validated Content-Range. */
export function totalOfRange({ headers }: ResponseHead): number {
  return readRange(headers['content-range']).total;
}

/** Statuses that decide whether a broken download continues. */
const DECISIVE_STATUSES: ReadonlySet<number> = new Set([200, 206, 412, 416]);

export function decidesContinuation({ status }: ResponseHead): boolean {
  return DECISIVE_STATUSES.has(status);
}

/**
 * Checks that the response continues exactly after the received bytes, in the same file: status 206, the requested
 * start, the same size, the same strong ETag, and no other Last-Modified or Content-Encoding. A body with status 200 can be
 * the whole file, a part of it, or another version, whatever its headers say.
 * @throws SourceFaultError after which the next request has no range, or for a body whose end cannot be verified
 */
export function assertContinuation(head: ResponseHead, point: ResumePoint): void {
  const { status } = head;
  if (status === 206 && isContinuation(head, point)) {
    readFraming(head.headers);
    return;
  }
  if (status === 412 || status === 416)
    throw changed(
      `the download was interrupted, and the source refused to continue it with status ${status}`,
      status,
    );
  if (status !== 200 || !isSameBody(head, point))
    throw changed('the download was interrupted, and the source has changed since', status);
  throw new SourceFaultError({
    code: 'SourceTruncated',
    text: 'the download was interrupted, and the source does not support range requests: it responded with status 200',
    retryable: true,
    voidsReceived: true,
  });
}
