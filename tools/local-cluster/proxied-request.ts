import type { IncomingHttpHeaders } from 'node:http';

/** The sender of a request to the API server, from its bearer token. */
export interface Actor {
  readonly namespace: string;
  readonly serviceAccount: string;
  /** Absent if the token is not bound to a pod. */
  readonly podName?: string;
  readonly podUid?: string;
}

/** A complete request as the proxy received it. */
export interface ProxiedRequest {
  readonly method: string;
  /** Path and query. */
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
  readonly actor: Actor | undefined;
}

export function isWrite({ method }: ProxiedRequest): boolean {
  return method !== 'GET' && method !== 'HEAD';
}

export function isWatch({ path }: ProxiedRequest): boolean {
  return /[?&]watch=(true|1)(&|$)/.test(path);
}

function asRecord(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? Object.fromEntries(Object.entries(value)) : {};
}

function textIn(record: unknown, name: string): string | undefined {
  const value = asRecord(record)[name];
  return typeof value === 'string' ? value : undefined;
}

/** Reads the claims without verifying the signature, which the API server does. */
export function actorOf(headers: IncomingHttpHeaders): Actor | undefined {
  const [, claims = ''] = (headers.authorization ?? '').replace(/^Bearer /, '').split('.');
  let payload: unknown;
  try {
    payload = JSON.parse(Buffer.from(claims, 'base64url').toString('utf8'));
  } catch {
    return undefined;
  }
  const kubernetes = asRecord(asRecord(payload)['kubernetes.io']);
  const namespace = textIn(kubernetes, 'namespace');
  const serviceAccount = textIn(kubernetes['serviceaccount'], 'name');
  if (namespace === undefined || serviceAccount === undefined) return undefined;
  const podName = textIn(kubernetes['pod'], 'name');
  const podUid = textIn(kubernetes['pod'], 'uid');
  return {
    namespace,
    serviceAccount,
    ...(podName === undefined ? {} : { podName }),
    ...(podUid === undefined ? {} : { podUid }),
  };
}
