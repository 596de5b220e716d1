import type { KubeClient } from '#runtime/kube/client/client.ts';
import { isKubeError } from '#runtime/kube/client/kube-error.ts';
import type { KubeRequest } from '#runtime/kube/client/kube-request.ts';
import { type RetryPolicy, retry } from '#runtime/time/retry.ts';

/** Bridges the change of a leader, but not an outage: the user waits for the next line. */
const POLICY = {
  attempts: 4,
  baseDelayMs: 500,
  maxDelayMs: 5_000,
  maxRetryAfterMs: 10_000,
} as const satisfies RetryPolicy;

/** A request that got a 429 had no effect. Any other failed write may have had one. */
function isRetryable({ method }: KubeRequest, error: unknown): boolean {
  return isKubeError(error, 'TooManyRequests') || (method === 'GET' && isKubeError(error, 'ServerError'));
}

/** Sends a request again, as other clients of Kubernetes do, if the API server is too busy or failed to read. */
export function retryRequests(kube: KubeClient, signal: AbortSignal): KubeClient {
  async function repeated<T>(request: KubeRequest, send: () => Promise<T>): Promise<T> {
    const ended = request.signal ? AbortSignal.any([signal, request.signal]) : signal;
    let last: unknown;
    try {
      return await retry(
        send,
        {
          ...POLICY,
          isRetryable: (error) => isRetryable(request, error),
          onRetry: (error) => {
            last = error;
          },
        },
        ended,
      );
    } catch (error) {
      // When its time is over, a wait names the failure, not the end of the pause after it.
      throw ended.aborted ? (last ?? error) : error;
    }
  }
  return {
    server: kube.server,
    objectMetadata: kube.objectMetadata,
    request: (request) => repeated(request, () => kube.request(request)),
    stream: (request) => repeated(request, () => kube.stream(request)),
    [Symbol.asyncDispose]: () => kube[Symbol.asyncDispose](),
  };
}
