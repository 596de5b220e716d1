import { toError } from '../../errors.ts';
import type { KubeClient } from './client.ts';
import type { KubeAccess } from './kube-access.ts';
import { KubeError } from './kube-error.ts';
import type { KubeRequest } from './kube-request.ts';
import { attemptOf } from './transport.ts';

/**
 * The same API server without our identity, including the client certificate. Otherwise the server would attribute a
 * user's call to this process.
 */
export function withoutIdentity(access: KubeAccess): KubeAccess {
  return {
    server: access.server,
    credentials: async (options) => {
      const { tls } = await access.credentials(options);
      const { cert: _cert, key: _key, ...server } = tls;
      return { headers: {}, tls: server };
    },
  };
}

/** Characters of a bearer token. Any other character could end the header. */
const TOKEN = /^[\x21-\x7e]{1,16384}$/;

/** True if the text can be sent as a bearer token. */
export function isBearerToken(text: string): boolean {
  return TOKEN.test(text);
}

/** The token of an Authorization header; undefined unless it has one bearer token. */
export function bearerTokenIn(header: string): string | undefined {
  const [scheme, token = '', ...rest] = header.split(' ');
  const isOne = scheme?.toLowerCase() === 'bearer' && rest.length === 0 && isBearerToken(token);
  return isOne ? token : undefined;
}

/**
 * Ends a call at the time limit of the user's request, also one that ignores its signal.
 * @throws KubeError with code Timeout, as at the time limit of the call
 */
export async function withinRequest<T>(
  limit: AbortSignal,
  attempt: string,
  task: () => Promise<T>,
): Promise<T> {
  const ended = Promise.withResolvers<never>();
  function end(): void {
    ended.reject(toError(limit.reason));
  }
  limit.addEventListener('abort', end);
  try {
    limit.throwIfAborted();
    return await Promise.race([task(), ended.promise]);
  } catch (error) {
    if (!limit.aborted || error !== limit.reason) throw error;
    throw new KubeError('no response from the API server within the time limit of the request', {
      attempt,
      code: 'Timeout',
      cause: error,
    });
  } finally {
    limit.removeEventListener('abort', end);
  }
}

/**
 * A client that makes every call with a user's token, over the connections of a client without identity. No error or
 * log line contains the token. Disposing it closes nothing. `limit`: ends all calls of one request of the user.
 */
export function asUser(kube: KubeClient, bearer: string, limit?: AbortSignal): KubeClient {
  function send<T>(request: KubeRequest, call: (request: KubeRequest) => Promise<T>): Promise<T> {
    if (limit === undefined) return call({ ...request, bearer });
    const signal = request.signal === undefined ? limit : AbortSignal.any([limit, request.signal]);
    return withinRequest(limit, attemptOf(request), () => call({ ...request, bearer, signal }));
  }
  return {
    server: kube.server,
    objectMetadata: kube.objectMetadata,
    request: (request) => send(request, (sent) => kube.request(sent)),
    stream: (request) => send(request, (sent) => kube.stream(sent)),
    [Symbol.asyncDispose]: () => Promise.resolve(),
  };
}
