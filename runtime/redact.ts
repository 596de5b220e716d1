/**
 * Presigned URLs, userinfo and tokens are credentials. Only scheme, host and path of a URL may be printed. Libraries
 * put URLs into their messages, so redactText processes all text that leaves the process.
 */
const MASK = '[redacted]';

/** Keeps scheme, host and path. Removes any query, fragment and userinfo completely. */
export const redactUrl = (url: string): string => {
  const parsed = URL.parse(url);
  if (!parsed) return MASK;
  const query = parsed.search === '' ? '' : `?${MASK}`;
  return `${parsed.protocol}//${parsed.host}${parsed.pathname}${query}`;
};

const URL_IN_TEXT = /\b[a-z][a-z0-9+.-]*:\/\/[^\s"'<>`\\]+/gi;
const SECRET_WORDS: readonly RegExp[] = [
  /\bwhsec_[A-Za-z0-9+/=_-]+/g,
  /\bzj_[A-Za-z0-9]{20,}/g,
  /\b(?:Bearer|Basic)\s+[A-Za-z0-9._~+/=-]+/gi,
  /\beyJ[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+\.[A-Za-z0-9_-]*/g,
  /\b(?:X-Amz-(?:Signature|Security-Token|Credential)|X-Goog-(?:Signature|Credential)|Signature|sig|token|AWSAccessKeyId)=[^\s&"']+/gi,
];

/** Masks secrets in URLs, and everything that looks like one of our credentials. */
export const redactText = (text: string): string =>
  SECRET_WORDS.reduce(
    (result, pattern) => result.replace(pattern, MASK),
    text.replace(URL_IN_TEXT, (url) => redactUrl(url)),
  );

/** The parts of an error that may be logged: name, code, redacted message and stack, and the same for its causes. */
export interface LoggedError {
  readonly name: string;
  readonly code?: string;
  readonly message: string;
  readonly stack?: string;
  readonly cause?: LoggedError;
}

/** Drops all other fields, because libraries attach requests, inputs and headers to errors. */
export const redactError = (thrown: unknown, depth = 0): LoggedError => {
  if (!(thrown instanceof Error)) return { name: typeof thrown, message: redactText(String(thrown)) };
  const code = 'code' in thrown && typeof thrown.code === 'string' ? { code: thrown.code } : {};
  const stack = thrown.stack === undefined ? {} : { stack: redactText(thrown.stack) };
  const cause =
    thrown.cause === undefined || depth >= 4 ? {} : { cause: redactError(thrown.cause, depth + 1) };
  return { name: thrown.name, ...code, message: redactText(thrown.message), ...stack, ...cause };
};
