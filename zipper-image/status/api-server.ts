/**
 * Patches the status of one object over HTTPS. The response is the object, and the zipper has no other way to read it.
 *
 * The token is read before each request, because the kubelet replaces the file long before the token expires.
 */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { FIELD_MANAGERS, GROUP_VERSION, type Kind, PLURALS } from '#crds/api-group.ts';
import { POLICY_MARKS } from '#crds/policy-marks.ts';
import { errorCode, toError } from '#runtime/errors.ts';
import { Agent, request } from '#runtime/http/undici.ts';
import { redactText } from '#runtime/log/redact.ts';
import type { ServerClock } from '#runtime/time/server-clock.ts';
import { StatusError } from './status-error.ts';

export interface ApiServerOptions {
  /** Such as `https://10.0.0.1:443`. */
  readonly server: string;
  /** Directory with `token` and `ca.crt`. */
  readonly serviceAccountDir: string;
  readonly requestTimeoutMs: number;
  /** Receives the API server's time from every response. */
  readonly clock?: Pick<ServerClock, 'hear' | 'monotonicMs'> | undefined;
}

/** The object whose status is patched. */
export interface PatchedObject {
  readonly kind: Kind;
  readonly namespace: string;
  readonly name: string;
  /** Code of the error if there is no such object. */
  readonly whenGone: StatusError['code'];
  /** Maximum number of connections. */
  readonly connections: number;
}

export interface Patch {
  /** What could not be done if it fails. */
  readonly attempted: string;
  readonly contentType: string;
  readonly accept: string;
  /** Further parameters of the URL. */
  readonly query?: string;
  readonly body: string;
}

export interface ApiServer {
  /** Returns the body of the response. @throws StatusError, or the reason of the signal */
  patch(patch: Patch, signal?: AbortSignal): Promise<string>;
  close(): Promise<void>;
}

interface Response {
  readonly status: number;
  readonly text: string;
  readonly retryAfter: string | undefined;
}

function secondsToMs(text: string | undefined): number | undefined {
  const seconds = Number(text);
  return text === undefined || !Number.isFinite(seconds) ? undefined : seconds * 1000;
}

/** The fields of a Status object that the API server sends with an error. */
interface ErrorStatus {
  readonly message: string;
  readonly kind: string;
  readonly name: string;
}

function textField(holder: unknown, name: string): string {
  const value: unknown =
    typeof holder === 'object' && holder !== null ? Reflect.get(holder, name) : undefined;
  return typeof value === 'string' ? value : '';
}

function parseStatus(text: string): ErrorStatus {
  try {
    const body: unknown = JSON.parse(text);
    const details: unknown =
      typeof body === 'object' && body !== null ? Reflect.get(body, 'details') : undefined;
    const message = textField(body, 'message') || text.slice(0, 200);
    return { message, kind: textField(details, 'kind'), name: textField(details, 'name') };
  } catch {
    return { message: text.slice(0, 200), kind: '', name: '' };
  }
}

/** The object is gone. While its definition is being replaced, 404 comes without these details. */
function isMissing({ status }: Response, { kind, name }: ErrorStatus, object: PatchedObject): boolean {
  return status === 404 && kind === PLURALS[object.kind] && name === object.name;
}

/**
 * A refusal of the token, by permissions, by another policy or for its content. It may come from an API server that starts or is
 * upgraded. The token of a pod that is gone stays refused.
 */
const REFUSALS: ReadonlySet<number> = new Set([400, 401, 403, 404, 413, 415, 422]);
/** Refusals of what was written, rather than of who wrote it. */
const OF_CONTENT: ReadonlySet<number> = new Set([400, 413, 415, 422]);

/** With this text, the API server refuses to create a ZipJob that had our uid and is gone. Any other conflict is retried. */
const WAS_DELETED = /uid mismatch: the provided object specified uid/;

function toStatusError(response: Response, object: PatchedObject, attempted: string): StatusError {
  const parsed = parseStatus(response.text);
  const message = redactText(parsed.message);
  const text = `${attempted}: ${response.status}: ${message}`;
  const facts = { httpStatus: response.status };
  const isMarked = REFUSALS.has(response.status) && message.includes(`[${POLICY_MARKS.notActive}]`);
  if (isMarked) return new StatusError(text, { code: 'Superseded', ...facts });
  const isGone = isMissing(response, parsed, object);
  if (isGone) return new StatusError(text, { code: object.whenGone, isGone, ...facts });
  const isRefusal = REFUSALS.has(response.status) || (response.status === 409 && WAS_DELETED.test(message));
  // Kubernetes says "denied request" for a policy or a webhook of admission, with any status.
  const isOfContent = OF_CONTENT.has(response.status) && !message.includes('denied request');
  const retryAfterMs = secondsToMs(response.retryAfter);
  return new StatusError(text, {
    code: 'ApiServerUnavailable',
    ...facts,
    isRefusal,
    isOfContent,
    retryAfterMs,
  });
}

/** The object in a response. @throws StatusError `Internal` if it is another object */
export function readObject<T>(text: string, attempted: string, decode: (value: unknown) => T): T {
  try {
    return decode(JSON.parse(text));
  } catch (error) {
    const fault = `the response is not the object: ${toError(error).message}`;
    throw new StatusError(`${attempted}: ${fault}`, { code: 'Internal', cause: error });
  }
}

interface Connection {
  readonly dispatcher: Agent;
  readonly url: string;
  readonly tokenPath: string;
  readonly clock: ApiServerOptions['clock'];
}

async function patchOnce(
  { dispatcher, url, tokenPath, clock }: Connection,
  { contentType, accept, query = '', body }: Patch,
  signal: AbortSignal,
): Promise<Response> {
  const token = await readFile(tokenPath, 'utf8');
  const headers = { authorization: `Bearer ${token.trim()}`, 'content-type': contentType, accept };
  const sentMs = clock?.monotonicMs() ?? 0;
  const response = await request(`${url}${query}`, { method: 'PATCH', dispatcher, signal, headers, body });
  clock?.hear(response.headers['date'], sentMs);
  const retryAfter = response.headers['retry-after'];
  return {
    status: response.statusCode,
    text: await response.body.text(),
    retryAfter: typeof retryAfter === 'string' ? retryAfter : undefined,
  };
}

function urlOf(server: string, { kind, namespace, name }: PatchedObject): string {
  const object = `${encodeURIComponent(namespace)}/${PLURALS[kind]}/${encodeURIComponent(name)}`;
  return `${server}/apis/${GROUP_VERSION}/namespaces/${object}/status?fieldManager=${FIELD_MANAGERS.zipper}`;
}

/** Trusts the CA of the cluster. Sends nothing yet. */
export async function openApiServer(options: ApiServerOptions, object: PatchedObject): Promise<ApiServer> {
  const { serviceAccountDir, requestTimeoutMs } = options;
  const ca = await readFile(join(serviceAccountDir, 'ca.crt'), 'utf8');
  const connection: Connection = {
    dispatcher: new Agent({
      connect: { ca, timeout: requestTimeoutMs },
      connections: object.connections,
    }),
    url: urlOf(options.server, object),
    tokenPath: join(serviceAccountDir, 'token'),
    clock: options.clock,
  };
  return {
    patch: async (patch, signal) => {
      const limit = AbortSignal.timeout(requestTimeoutMs);
      let response: Response;
      try {
        response = await patchOnce(connection, patch, signal ? AbortSignal.any([signal, limit]) : limit);
      } catch (error) {
        if (signal?.aborted === true) throw error;
        const cause = errorCode(error) ?? 'no response in time';
        throw new StatusError(`${patch.attempted}: ${cause}`, { code: 'ApiServerUnavailable', cause: error });
      }
      if (response.status < 200 || response.status > 299)
        throw toStatusError(response, object, patch.attempted);
      return response.text;
    },
    close: () => connection.dispatcher.destroy(),
  };
}
