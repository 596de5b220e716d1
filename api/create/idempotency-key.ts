import type { IncomingMessage } from 'node:http';
import { type ApiError, badRequest } from '../errors/api-error.ts';

const MAX_LENGTH = 255;
/** A character of a structured-field string: printable ASCII, with `\"` and `\\` for the two that need it. */
const QUOTED_CHARACTER = String.raw`(?:[\x20\x21\x23-\x5b\x5d-\x7e]|\\["\\])`;
const QUOTED = new RegExp(`^"(${QUOTED_CHARACTER}*)"$`);
/** Without quotes: visible ASCII except the separators of header lists. */
const BARE_CHARACTER = String.raw`[\x21\x23-\x2b\x2d-\x3a\x3c-\x7e]`;
const BARE = new RegExp(`^${BARE_CHARACTER}+$`);

/** Pattern of the header for the OpenAPI document; the length excludes the quotes. */
export const IDEMPOTENCY_KEY_PATTERN = `^(?:"${QUOTED_CHARACTER}{1,${MAX_LENGTH}}"|${BARE_CHARACTER}{1,${MAX_LENGTH}})$`;

function invalid(problem: string): ApiError {
  return badRequest(
    'invalid_idempotency_key',
    `The header Idempotency-Key ${problem}. Send one value of 1 to ${MAX_LENGTH} printable ASCII characters, such as a UUID.`,
  );
}

function valuesOf({ rawHeaders }: Pick<IncomingMessage, 'rawHeaders'>): string[] {
  return rawHeaders.filter(
    (_, index) => index % 2 === 1 && rawHeaders[index - 1]?.toLowerCase() === 'idempotency-key',
  );
}

function unquote(value: string): string | undefined {
  return QUOTED.exec(value)?.[1]?.replaceAll(/\\(["\\])/g, '$1') ?? (BARE.test(value) ? value : undefined);
}

/**
 * The caller's Idempotency-Key; the quoted and the unquoted form of a text are the same key.
 * @throws ApiError invalid_idempotency_key
 */
export function readIdempotencyKey(request: Pick<IncomingMessage, 'rawHeaders'>): string | undefined {
  const [value, ...more] = valuesOf(request);
  if (value === undefined) return undefined;
  if (more.length > 0) throw invalid('was sent more than once');
  const key = unquote(value.trim());
  if (key === undefined) throw invalid('is malformed');
  if (key === '') throw invalid('is empty');
  if (key.length > MAX_LENGTH) throw invalid(`is longer than ${MAX_LENGTH} characters`);
  return key;
}
