import { isDataUrl } from '../entries/data-url.ts';
import { AppError } from '../errors.ts';

/**
 * Presigned URLs, userinfo and tokens are credentials. Only scheme, host and path of a URL may be printed. Libraries
 * put URLs into their messages, so redactText processes all text that leaves the process.
 */
const MASK = '[redacted]';

const DATA_URL = /\bdata:[^\s"'<>`\\,]{0,200},[^\s"'<>`\\]*/gi;

/** Keeps scheme, host and path. Removes any query, fragment and userinfo completely. */
export function redactUrl(url: string): string {
  if (isDataUrl(url)) return `data:${MASK}`;
  const parsed = URL.parse(url);
  if (!parsed) return MASK;
  const query = parsed.search === '' ? '' : `?${MASK}`;
  return `${parsed.protocol}//${parsed.host}${parsed.pathname}${query}`;
}

/** The scheme is bounded: without a bound, a long text without `://` takes quadratic time. */
const URL_IN_TEXT = /(?:[a-z][a-z0-9+.-]{0,31})?:\/\/[^\s"'<>`\\]+/gi;
/** The longest texts that can be or contain a JSON Web Token. They do not overlap, so none is scanned twice. */
const WORD = /[A-Za-z0-9_.-]+/g;
const SECRET_WORDS: readonly RegExp[] = [
  /\bwhsec_[A-Za-z0-9+/=_-]+/g,
  /\bzj_[A-Za-z0-9]{20,}/g,
  /\b(?:Bearer|Basic)\s+[A-Za-z0-9._~+/=-]+/gi,
  /\b(?:X-Amz-(?:Signature|Security-Token|Credential)|X-Goog-(?:Signature|Credential)|Signature|sig|token|AWSAccessKeyId)=[^\s&"']+/gi,
];

/** A JSON Web Token has three parts, and its header is Base64 of a text that starts with `{"`. */
function hasJsonWebToken(word: string): boolean {
  return word
    .split('.')
    .some((part, index, parts) => index + 2 < parts.length && /\beyJ[A-Za-z0-9_-]/.test(part));
}

function maskJsonWebTokens(text: string): string {
  return text.includes('eyJ') ? text.replace(WORD, (word) => (hasJsonWebToken(word) ? MASK : word)) : text;
}

/** The search without a match tries every letter as the start of a scheme, and most lines of the log contain no URL. */
function maskUrls(text: string): string {
  return text.includes('://') ? text.replace(URL_IN_TEXT, (url) => redactUrl(url)) : text;
}

/** Masks secrets in URLs, and everything that looks like one of our credentials. Takes linear time. */
export function redactText(text: string): string {
  return SECRET_WORDS.reduce(
    (result, pattern) => result.replace(pattern, MASK),
    maskJsonWebTokens(maskUrls(text.replace(DATA_URL, `data:${MASK}`))),
  );
}

/** Removes URLs from a text completely, for texts whose readers may not even know the hosts. Takes linear time. */
export function removeUrls(text: string): string {
  const withoutData = text.replace(DATA_URL, `data:${MASK}`);
  return withoutData.includes('://') ? withoutData.replace(URL_IN_TEXT, MASK) : withoutData;
}

/** Maximum characters of a line of foreign text. */
const MAX_LINE = 16 * 1024;
const SEPARATOR = /[\s"',;<>&]/;

/** Cuts a long line at the end of a word: half of a credential would not be recognised as one. */
export function cutLine(line: string): string {
  if (line.length <= MAX_LINE) return line;
  let end = MAX_LINE;
  while (end > 0 && !SEPARATOR.test(line.charAt(end))) end -= 1;
  return `${line.slice(0, end)} [truncated: ${line.length} characters]`;
}

/** The parts of an error that may be logged: name, code, redacted message and stack, and the same for its causes. */
export interface LoggedError {
  readonly name: string;
  readonly code?: string;
  readonly message: string;
  readonly stack?: string;
  readonly cause?: LoggedError;
}

/** Drops all other fields, because libraries attach requests, inputs and headers to errors. */
export function redactError(thrown: unknown, depth = 0): LoggedError {
  if (!(thrown instanceof Error)) return { name: typeof thrown, message: redactText(String(thrown)) };
  const { name, message } = thrown;
  const code = 'code' in thrown && typeof thrown.code === 'string' ? { code: thrown.code } : {};
  const known = { name, ...code, message: redactText(message) };
  // The stack too shows whether an address was refused before a connection, or a connection failed.
  if (thrown instanceof AppError && thrown.hidesCause) return known;
  const stack = thrown.stack === undefined ? {} : { stack: redactText(thrown.stack) };
  const cause =
    thrown.cause === undefined || depth >= 4 ? {} : { cause: redactError(thrown.cause, depth + 1) };
  return { ...known, ...stack, ...cause };
}
