import { once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';

/** One request as the origin gets it: `path` without query, `rest` what the route's pattern left over, `seen` from 1. */
export interface OriginRequest {
  readonly path: string;
  readonly rest: readonly string[];
  readonly query: URLSearchParams;
  /** How often this path (with its query) was asked for, this time included. */
  readonly seen: number;
  readonly signal: AbortSignal;
}

export type OriginRoute = (
  request: OriginRequest,
  response: ServerResponse,
  incoming: IncomingMessage,
) => void | Promise<void>;

/** Writes pieces with backpressure; ends early when the client goes. */
export const send = async (
  response: ServerResponse,
  pieces: Iterable<Uint8Array>,
  signal: AbortSignal,
): Promise<void> => {
  for (const piece of pieces) {
    if (signal.aborted) return;
    if (!response.write(piece)) await once(response, 'drain', { signal }).catch(() => undefined);
  }
};
