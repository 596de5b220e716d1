import { once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';

/**
 * One request to the origin: `path` without query, `rest` is the path after the route's pattern, `seen`
 * counts from 1.
 */
export interface OriginRequest {
  readonly path: string;
  readonly rest: readonly string[];
  readonly query: URLSearchParams;
  /** Number of requests for this path (with its query), including this one. */
  readonly seen: number;
  readonly signal: AbortSignal;
}

export type OriginRoute = (
  request: OriginRequest,
  response: ServerResponse,
  incoming: IncomingMessage,
) => void | Promise<void>;

/** Writes pieces with backpressure; stops when the client disconnects. */
export async function send(
  response: ServerResponse,
  pieces: Iterable<Uint8Array> | AsyncIterable<Uint8Array>,
  signal: AbortSignal,
): Promise<void> {
  for await (const piece of pieces) {
    if (signal.aborted) return;
    if (!response.write(piece)) await once(response, 'drain', { signal }).catch(() => undefined);
  }
}
