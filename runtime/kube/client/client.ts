import type { Readable } from 'node:stream';
import type { Dispatcher } from 'undici';
import { AppError, errorCode, toError } from '../../errors.ts';
import { isKubeError, KubeError } from './kube-error.ts';
import type { KubeClientOptions, KubeRequest } from './kube-request.ts';
import type { ObjectMetadata } from './object-metadata.ts';
import { withTimeLimit } from './time-limit.ts';
import { attemptOf, createTransport, parseJson, type Transport } from './transport.ts';

/** Reads the body of a response. @throws KubeError TooLarge, without reading the rest */
async function readBody(
  body: Dispatcher.ResponseData['body'],
  attempt: string,
  { maxBytes, onBytes }: Pick<KubeRequest, 'maxBytes' | 'onBytes'>,
): Promise<string> {
  // Without a limit, this takes much less time than an iterator over the chunks.
  if (maxBytes === undefined && onBytes === undefined) return body.text();
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of body as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (maxBytes !== undefined && bytes > maxBytes)
      throw new KubeError(`the response is larger than ${maxBytes} bytes`, { attempt, code: 'TooLarge' });
    chunks.push(chunk);
  }
  onBytes?.(bytes);
  return Buffer.concat(chunks).toString('utf8');
}

/** A client for one API server and identity: pooled connections, a time limit for every call, and KubeError for failures. */
export interface KubeClient extends AsyncDisposable {
  /** Base URL of the API server. */
  readonly server: string;
  /** Of every object that an object client of this client creates. */
  readonly objectMetadata?: ObjectMetadata | undefined;
  /** Returns the parsed JSON of a 2xx response. */
  request(request: KubeRequest): Promise<unknown>;
  /**
   * Returns the open body of a 200 response. The time limit applies until the headers arrive. After that, the caller
   * ends the body with `signal` or by destroying it.
   */
  stream(request: KubeRequest): Promise<Readable>;
}

const RESET_CODES = new Set(['ECONNRESET', 'EPIPE', 'UND_ERR_SOCKET']);

/** KubeErrors and the caller's own abort stay unchanged. Any other error is a failed connection. */
function callError(request: KubeRequest, thrown: unknown): unknown {
  if (isKubeError(thrown) || request.signal?.aborted === true) return thrown;
  const error = toError(thrown);
  // An error of ours says what to do, such as one about a field of the kubeconfig.
  const said =
    error instanceof AppError
      ? error.message
      : `the connection to the API server failed (${errorCode(error) ?? error.message})`;
  return new KubeError(said, {
    attempt: attemptOf(request),
    code: 'Unreachable',
    cause: error,
  });
}

async function call(transport: Transport, request: KubeRequest, ms: number): Promise<unknown> {
  const attempt = attemptOf(request);
  try {
    return await withTimeLimit({ attempt, ms, signal: request.signal }, async (signal) => {
      const response = await transport.send(request, { agent: 'calls', signal });
      const text = await readBody(response.body, attempt, request);
      const body = parseJson(text);
      if (body !== undefined) return body;
      throw new KubeError('the response is not JSON. Check that this is the address of an API server', {
        attempt,
        code: 'InvalidResponse',
        httpStatus: response.statusCode,
      });
    });
  } catch (error) {
    throw toError(callError(request, error));
  }
}

/** The body outlives the time limit, so it has its own signal, which the caller's signal aborts. */
async function openStream(transport: Transport, request: KubeRequest, ms: number): Promise<Readable> {
  const lifetime = new AbortController();
  function end(): void {
    lifetime.abort(request.signal?.reason);
  }
  function unlink(): void {
    request.signal?.removeEventListener('abort', end);
  }
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
}

/** Connects on the first call. Dispose it to close the connections. */
export function createKubeClient(options: KubeClientOptions): KubeClient {
  const { requestTimeoutMs } = options;
  const transport = createTransport(options);
  return {
    server: options.access.server,
    objectMetadata: options.objectMetadata,
    request: async (request) => {
      try {
        return await call(transport, request, requestTimeoutMs);
      } catch (error) {
        // The server may close an idle connection just before a call. Repeating a read is harmless.
        const isReset = isKubeError(error, 'Unreachable') && RESET_CODES.has(errorCode(error.cause) ?? '');
        if (request.method === 'GET' && isReset) return call(transport, request, requestTimeoutMs);
        throw error;
      }
    },
    stream: (request) => openStream(transport, request, requestTimeoutMs),
    [Symbol.asyncDispose]: () => transport.destroy(),
  };
}
