import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { type Client, type ClientOptions, createClient } from '#clients/typescript/src/client.ts';

export interface ReceivedRequest {
  readonly line: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

/** `reset` closes the connection without a response, `stall` never responds. */
export type ScriptedResponse =
  | 'reset'
  | 'stall'
  | { readonly status: number; readonly body: string; readonly headers?: Readonly<Record<string, string>> };

export const UUID = '3f0c7a52-6f0e-4f1c-9a55-0d7d1c1f0a11';

/** A response with a job; `more` are fields of the job. */
export function zip(status: string, more: object = {}, headers = {}): ScriptedResponse {
  return {
    status: 200,
    body: JSON.stringify({ data: { uuid: UUID, status, metadata: {}, ...more } }),
    headers,
  };
}

/** An error response of the API. */
export function refusal(status: number, code: string, headers = {}): ScriptedResponse {
  return {
    status,
    body: JSON.stringify({ error: { type: 'api_error', code, message: `It is ${code}.`, param: null } }),
    headers,
  };
}

export interface ScriptedServer extends AsyncDisposable {
  readonly url: string;
  readonly requests: readonly ReceivedRequest[];
  /** Delays between requests, in milliseconds. They pass at once. */
  readonly delays: readonly number[];
  readonly client: (options?: Partial<ClientOptions>) => Client;
}

/** An HTTP server with these responses, the last of which repeats, and clients whose delays pass at once. */
export async function startScriptedServer(
  responses: readonly [ScriptedResponse, ...ScriptedResponse[]],
): Promise<ScriptedServer> {
  const requests: ReceivedRequest[] = [];
  const delays: number[] = [];
  let nowMs = 0;
  const server = createServer((request, response) => {
    void text(request).then((body) => {
      const next = responses[Math.min(requests.length, responses.length - 1)] ?? responses[0];
      requests.push({ line: `${request.method} ${request.url}`, headers: request.headers, body });
      if (next === 'reset') request.socket.destroy();
      else if (next !== 'stall') response.writeHead(next.status, next.headers).end(next.body);
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const timing = {
    nowMs: () => nowMs,
    random: () => 0.5,
    sleep: async (ms: number, signal: AbortSignal | undefined) => {
      signal?.throwIfAborted();
      delays.push(ms);
      nowMs += ms;
    },
  };
  return {
    url,
    requests,
    delays,
    client: (options = {}) => createClient({ baseUrl: url, token: 'TOKEN', timing, ...options }),
    [Symbol.asyncDispose]: async () => {
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}
