/** The XML responses of AssumeRoleWithWebIdentity. */
import { redactText } from '#runtime/log/redact.ts';
import type { StoreIdentity } from '../session.ts';
import { StoreError } from '../store-errors.ts';
import { describeToken, isExpiredToken } from './token.ts';

/** Credentials that expire. */
export interface Session extends StoreIdentity {
  /** From the response until they expire, by the clock of the token service. */
  readonly lifetimeMs: number;
}

export interface StsResponse {
  readonly status: number;
  /** The Date header, if there is one. */
  readonly date: string | undefined;
  readonly body: string;
}

const MAX_TEXT = 300;
const ENTITIES = [
  ['&lt;', '<'],
  ['&gt;', '>'],
  ['&quot;', '"'],
  ['&#39;', "'"],
  ['&amp;', '&'],
] as const;

/** Text of the first element with this name. The names that are read occur once in a response, and contain only text. */
function textIn(xml: string, name: string): string | undefined {
  const [open, close] = [`<${name}>`, `</${name}>`];
  const start = xml.indexOf(open);
  const end = start < 0 ? -1 : xml.indexOf(close, start);
  if (end < 0) return undefined;
  const text = xml.slice(start + open.length, end).trim();
  return ENTITIES.reduce((result, [entity, character]) => result.replaceAll(entity, character), text);
}

/** Without httpStatus: it is not a response of the store, and says nothing about an upload. */
function failed(
  attempted: string,
  text: string,
  verdict: Pick<StoreError, 'code' | 'retryable' | 'storeCode'>,
): StoreError {
  return new StoreError(`${attempted}: ${text}`, verdict);
}

/** The token expired or its issuer could not be reached, or the service is busy: the next request may succeed. */
const TRANSIENT: ReadonlySet<string> = new Set([
  'ExpiredTokenException',
  'ExpiredToken',
  'IDPCommunicationError',
  'Throttling',
  'ThrottlingException',
  'RequestLimitExceeded',
  'InternalError',
  'InternalFailure',
  'ServiceUnavailable',
]);

function rejection(attempted: string, response: StsResponse, token: string): StoreError {
  const { status, body } = response;
  const code = (textIn(body, 'Code') ?? '').slice(0, MAX_TEXT);
  const message = redactText(textIn(body, 'Message') ?? '').slice(0, MAX_TEXT);
  const storeCode = redactText(code) || 'NoCode';
  const retryable =
    status >= 500 ||
    status === 429 ||
    status === 408 ||
    TRANSIENT.has(code) ||
    // MinIO has no error code of its own for an expired token.
    isExpiredToken(token, timeOf(response));
  const says = [String(status), storeCode === 'NoCode' ? '' : storeCode]
    .filter((part) => part !== '')
    .join(' ');
  return failed(attempted, `${says}: ${message}. ${describeToken(token)}`, {
    code: retryable ? 'StoreUnavailable' : 'BucketCredentialsInvalid',
    retryable,
    storeCode,
  });
}

/** By the clock of the token service. */
function timeOf({ date }: StsResponse): number {
  return date === undefined ? Date.now() : Date.parse(date);
}

/** Undefined for a response without credentials or with ones that have already expired. */
function sessionIn(response: StsResponse): Session | undefined {
  const { body } = response;
  const [accessKeyId, secretAccessKey, sessionToken] = ['AccessKeyId', 'SecretAccessKey', 'SessionToken'].map(
    (name) => textIn(body, name),
  );
  const lifetimeMs = Date.parse(textIn(body, 'Expiration') ?? '') - timeOf(response);
  if (!accessKeyId || !secretAccessKey || !sessionToken || !(lifetimeMs > 0)) return undefined;
  return { accessKeyId, secretAccessKey, sessionToken, lifetimeMs };
}

/**
 * The credentials in a response. `token` is the one that was sent.
 * @throws StoreError for any other response; a redirect is one, because a token is sent only to allowed hosts
 */
export function readSession(attempted: string, response: StsResponse, token: string): Session {
  const { status } = response;
  if (status >= 300 && status < 400)
    throw failed(attempted, `it responded with ${status}, and redirects are not followed`, {
      code: 'BucketMisconfigured',
      retryable: false,
      storeCode: 'Redirect',
    });
  if (status !== 200) throw rejection(attempted, response, token);
  const session = sessionIn(response);
  if (session) return session;
  throw failed(attempted, 'its response contains no valid credentials', {
    code: 'BucketMisconfigured',
    retryable: false,
    storeCode: 'InvalidResponse',
  });
}
