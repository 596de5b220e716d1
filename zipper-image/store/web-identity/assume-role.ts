/**
 * One request of the security token service: AssumeRoleWithWebIdentity, which needs no signature. Our own request instead of the
 * SDK's client: it passes the egress guard, follows no redirect, and takes neither region nor endpoint from elsewhere.
 */
import type { Dispatcher } from 'undici';
import { isAbort } from '#runtime/errors.ts';
import { readStart } from '#runtime/http/read-start.ts';
import { request } from '#runtime/http/undici.ts';
import type { ServiceTexts } from '../service-texts.ts';
import { StoreError, toStoreError } from '../store-errors.ts';
import type { WebIdentity } from './sts-endpoint.ts';
import { readSession, type Session, type StsResponse } from './sts-response.ts';
import { assertAudience } from './token.ts';

export interface AssumeRoleDeps {
  readonly endpoint: URL;
  readonly identity: WebIdentity;
  readonly agent: Dispatcher;
  readonly readToken: () => Promise<string>;
  /** Part of the identity in listings of uploads and in audit logs. */
  readonly sessionName: string;
  readonly timeoutMs: number;
}

const DEFAULT_SECONDS = 3600;
const MAX_RESPONSE_BYTES = 64 * 1024;
const TEXTS: ServiceTexts = {
  untrusted:
    'the certificate of the security token service is signed by an unknown authority; ask your administrator to add the authority to trustBundle',
  hostsValue: 'store.webIdentity.stsHosts',
};

function formOf({ identity, sessionName }: AssumeRoleDeps, token: string): string {
  return new URLSearchParams({
    Action: 'AssumeRoleWithWebIdentity',
    Version: '2011-06-15',
    RoleArn: identity.roleArn,
    RoleSessionName: sessionName,
    DurationSeconds: String(identity.durationSeconds ?? DEFAULT_SECONDS),
    WebIdentityToken: token,
  }).toString();
}

/** The token is in the body, because servers and proxies log URLs. */
async function send(deps: AssumeRoleDeps, token: string): Promise<StsResponse> {
  const { statusCode, headers, body } = await request(deps.endpoint, {
    dispatcher: deps.agent,
    method: 'POST',
    headers: { 'content-type': 'application/x-www-form-urlencoded', accept: 'application/xml' },
    body: formOf(deps, token),
    signal: AbortSignal.timeout(deps.timeoutMs),
  });
  const { date } = headers;
  return {
    status: statusCode,
    date: typeof date === 'string' ? date : undefined,
    body: await readStart(body, MAX_RESPONSE_BYTES),
  };
}

function unreachable(attempted: string, thrown: unknown, timeoutMs: number): Error {
  const timedOut = thrown instanceof DOMException && thrown.name === 'TimeoutError';
  if (!timedOut && !isAbort(thrown)) return toStoreError(thrown, attempted, TEXTS);
  return new StoreError(`${attempted}: no response within ${timeoutMs} ms`, {
    code: 'StoreUnavailable',
    retryable: true,
    storeCode: 'TimeoutError',
    cause: thrown,
  });
}

/** New credentials for the current token. @throws StoreError, TaskError */
export async function assumeRole(deps: AssumeRoleDeps): Promise<Session> {
  const attempted = `Getting credentials from the security token service ${deps.endpoint.host}`;
  const token = await deps.readToken();
  assertAudience(token, deps.identity.audience);
  let response: StsResponse;
  try {
    response = await send(deps, token);
  } catch (error) {
    throw unreachable(attempted, error, deps.timeoutMs);
  }
  return readSession(attempted, response, token);
}
