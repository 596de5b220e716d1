import type { Readable } from 'node:stream';
import { errorCode, toError } from '../errors.ts';
import { isKubeError, KubeError } from './kube-error.ts';
import type { KubeClientOptions, KubeRequest } from './kube-request.ts';
import { withTimeLimit } from './time-limit.ts';
import { attemptOf, createTransport, parseJson, type Transport } from './transport.ts';

/** One API server and our identity at it: pooled connections, a time limit on every call, failures as KubeError. */
export interface KubeClient extends AsyncDisposable {
  /** Base URL of the API server. */
  readonly server: string;
  /** The parsed JSON of a 2xx answer. */
  request(request: KubeRequest): Promise<unknown>;
  /**
   * The open body of a 200 answer. The time limit covers the time until the headers; afterwards the caller ends it by
   * `signal` or by destroying the body.
   */
  stream(request: KubeRequest): Promise<Readable>;
}

const RESET_CODES = new Set(['ECONNRESET', 'EPIPE', 'UND_ERR_SOCKET']);

/** What a call ends with: KubeErrors and the caller's own abort as they are, the rest as a failed connection. */
const callError = (request: KubeRequest, thrown: unknown): unknown => {
  if (isKubeError(thrown) || request.signal?.aborted === true) return thrown;
  const error = toError(thrown);
  const reason = errorCode(error) ?? error.message;
  return new KubeError(`${attemptOf(request)}: the connection to the API server failed (${reason})`, {
    code: 'Unreachable',
    cause: error,
  });
};

const call = async (transport: Transport, request: KubeRequest, ms: number): Promise<unknown> => {
  const attempt = attemptOf(request);
  try {
    return await withTimeLimit({ attempt, ms, signal: request.signal }, async (signal) => {
      const response = await transport.send(request, { agent: 'calls', signal });
      const body = parseJson(await response.body.text());
      if (body !== undefined) return body;
      throw new KubeError(
        `${attempt}: the response is not JSON. Check that this is the address of an API server`,
        {
          code: 'InvalidResponse',
          httpStatus: response.statusCode,
        },
      );
    });
  } catch (error) {
    throw toError(callError(request, error));
  }
};

/** The body outlives the time limit, so it hangs on a signal of its own that the caller's signal ends. */
const openStream = async (transport: Transport, request: KubeRequest, ms: number): Promise<Readable> => {
  const lifetime = new AbortController();
  const end = (): void => {
    lifetime.abort(request.signal?.reason);
  };
  const unlink = (): void => {
    request.signal?.removeEventListener('abort', end);
  };
  request.signal?.addEventListener('abort', end);
  try {
    const limit = { attempt: attemptOf(request), ms, signal: request.signal, onLimit: end };
    const response = await withTimeLimit(limit, () =>
      transport.send(request, { agent: 'watches', signal: lifetime.signal }),
    );
    response.body.once('close', unlink);
    return response.body;
  } catch (error) {
    unlink();
    throw toError(callError(request, error));
  }
};

/** Opens its connections when the first call is made; dispose of it to close them. */
export const createKubeClient = (options: KubeClientOptions): KubeClient => {
  const { requestTimeoutMs } = options;
  const transport = createTransport(options);
  return {
    server: options.access.server,
    request: async (request) => {
      try {
        return await call(transport, request, requestTimeoutMs);
      } catch (error) {
        // An idle connection that the server closes just now fails the next call; reading once more is harmless.
        const isReset = isKubeError(error, 'Unreachable') && RESET_CODES.has(errorCode(error.cause) ?? '');
        if (request.method === 'GET' && isReset) return call(transport, request, requestTimeoutMs);
        throw error;
      }
    },
    stream: (request) => openStream(transport, request, requestTimeoutMs),
    [Symbol.asyncDispose]: () => transport.destroy(),
  };
};
