/**
 * Writes the zipper's part of a ZipJob's status with server-side apply over HTTPS. The response is the ZipJob, and the
 * zipper has no other way to read it.
 *
 * The token is read before each request, because the kubelet replaces the file long before the token expires.
 */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { FIELD_MANAGERS, GROUP_VERSION, PLURALS } from '#crds/api-group.ts';
import { POLICY_MARKS } from '#crds/policy-marks.ts';
import type { ZipperStatus } from '#crds/zip-job.ts';
import { errorCode, toError } from '#runtime/errors.ts';
import { Agent, request } from '#runtime/http/undici.ts';
import { redactText } from '#runtime/log/redact.ts';
import type { ServerClock } from '#runtime/time/server-clock.ts';
import { decodeOwnZipJob, type OwnZipJob } from './own-zip-job.ts';
import { StatusError } from './status-error.ts';

export interface StatusTarget {
  readonly namespace: string;
  readonly name: string;
  /** A ZipJob of the same name with another uid is not ours. The API server does not check this: see `isAnother`. */
  readonly uid: string;
}

export interface StatusApi {
  /** Sets the zipper's fields to exactly these and returns the ZipJob as it then is. @throws StatusError */
  apply(status: ZipperStatus, signal?: AbortSignal): Promise<OwnZipJob>;
  close(): Promise<void>;
}

export interface StatusApiOptions {
  /** Such as `https://10.0.0.1:443`. */
  readonly server: string;
  /** Directory with `token` and `ca.crt`. */
  readonly serviceAccountDir: string;
  readonly target: StatusTarget;
  readonly requestTimeoutMs: number;
  /** Receives the API server's time from every response. */
  readonly clock?: Pick<ServerClock, 'hear' | 'monotonicMs'> | undefined;
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

/** The ZipJob is gone. While its definition is being replaced, 404 comes without these details. */
function isGone({ status }: Response, { kind, name }: ErrorStatus, target: StatusTarget): boolean {
  return status === 404 && kind === PLURALS.ZipJob && name === target.name;
}

/** A refusal by permissions, by another policy or for its content. It may come from an API server that starts or is upgraded. */
const REFUSALS: ReadonlySet<number> = new Set([400, 403, 404, 413, 415, 422]);
/** Refusals of what was written, rather than of who wrote it. */
const OF_CONTENT: ReadonlySet<number> = new Set([400, 413, 415, 422]);

/** With this text, the API server refuses to create a ZipJob that had our uid and is gone. Any other conflict is retried. */
const WAS_DELETED = /uid mismatch: the provided object specified uid/;

function toStatusError(response: Response, target: StatusTarget, attempted: string): StatusError {
  const parsed = parseStatus(response.text);
  const message = redactText(parsed.message);
  const text = `${attempted}: ${response.status}: ${message}`;
  const facts = { httpStatus: response.status };
  const isMarked = REFUSALS.has(response.status) && message.includes(`[${POLICY_MARKS.notActive}]`);
  if (isMarked || isGone(response, parsed, target))
    return new StatusError(text, { code: 'Superseded', ...facts });
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

/**
 * Whether the response is a ZipJob that was recreated under the same name. The API server accepts a status apply with
 * another uid. Our pod cannot write there, because it is not the active pod of that ZipJob.
 */
function isAnother({ metadata }: OwnZipJob, { uid }: StatusTarget): boolean {
  return metadata.uid !== uid;
}

function readZipJob(text: string, attempted: string): OwnZipJob {
  try {
    return decodeOwnZipJob(JSON.parse(text));
  } catch (error) {
    const fault = `the response is not a ZipJob: ${toError(error).message}`;
    throw new StatusError(`${attempted}: ${fault}`, { code: 'Internal', cause: error });
  }
}

interface Connection {
  readonly dispatcher: Agent;
  readonly url: string;
  readonly tokenPath: string;
  readonly clock: StatusApiOptions['clock'];
}

async function applyOnce(
  { dispatcher, url, tokenPath, clock }: Connection,
  body: string,
  signal: AbortSignal,
): Promise<Response> {
  const token = await readFile(tokenPath, 'utf8');
  const headers = {
    authorization: `Bearer ${token.trim()}`,
    'content-type': 'application/apply-patch+yaml',
    accept: 'application/json',
  };
  const sentMs = clock?.monotonicMs() ?? 0;
  const response = await request(url, { method: 'PATCH', dispatcher, signal, headers, body });
  clock?.hear(response.headers['date'], sentMs);
  const retryAfter = response.headers['retry-after'];
  return {
    status: response.statusCode,
    text: await response.body.text(),
    retryAfter: typeof retryAfter === 'string' ? retryAfter : undefined,
  };
}

function statusUrl(server: string, { namespace, name }: StatusTarget): string {
  const object = `${encodeURIComponent(namespace)}/${PLURALS.ZipJob}/${encodeURIComponent(name)}`;
  return `${server}/apis/${GROUP_VERSION}/namespaces/${object}/status?fieldManager=${FIELD_MANAGERS.zipper}&force=true`;
}

/** Opens a client for one ZipJob, which trusts the CA of the cluster. */
export async function createStatusApi(options: StatusApiOptions): Promise<StatusApi> {
  const { target, serviceAccountDir, requestTimeoutMs } = options;
  const ca = await readFile(join(serviceAccountDir, 'ca.crt'), 'utf8');
  const connection: Connection = {
    dispatcher: new Agent({ connect: { ca, timeout: requestTimeoutMs }, connections: 2 }),
    url: statusUrl(options.server, target),
    tokenPath: join(serviceAccountDir, 'token'),
    clock: options.clock,
  };
  const attempted = `Could not write the status of ZipJob ${target.namespace}/${target.name}`;
  return {
    apply: async (status, signal) => {
      const limit = AbortSignal.timeout(requestTimeoutMs);
      const body = JSON.stringify({ apiVersion: GROUP_VERSION, kind: 'ZipJob', metadata: target, status });
      let response: Response;
      try {
        response = await applyOnce(connection, body, signal ? AbortSignal.any([signal, limit]) : limit);
      } catch (error) {
        if (signal?.aborted === true) throw error;
        const cause = errorCode(error) ?? 'no response in time';
        throw new StatusError(`${attempted}: ${cause}`, { code: 'ApiServerUnavailable', cause: error });
      }
      if (response.status < 200 || response.status > 299) throw toStatusError(response, target, attempted);
      const zipJob = readZipJob(response.text, attempted);
      if (isAnother(zipJob, target))
        throw new StatusError(`${attempted}: another ZipJob now has this name`, { code: 'Superseded' });
      return zipJob;
    },
    close: () => connection.dispatcher.destroy(),
  };
}
