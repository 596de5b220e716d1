import type { ServerResponse } from 'node:http';
import { generatedBytes } from '#test/support/builders/generated-bytes.ts';
import { type FileOrigin, startFileOrigin } from '#test/support/servers/file-origin.ts';
import { type OriginRoute, send } from '#test/support/servers/origin-request.ts';
import type { SourceError } from '#zipper-image/sources/source-error.ts';
import { type HarnessOptions, withReader } from './source-harness.ts';

export const MIB = 1024 * 1024;
export const BYTES = 6 * MIB;
export const FILE = generatedBytes(BYTES, 1);

/** One response of a source. */
export interface Reply {
  /** Default: FILE. */
  readonly body?: Buffer;
  /** Disconnects after this many bytes. */
  readonly cutAt?: number;
  /** Stops sending after this many bytes. */
  readonly stallAt?: number;
  /** Sends no Content-Length: the body is chunked, or ends with the connection. */
  readonly undeclared?: 'chunked' | 'close';
  readonly headers?: Readonly<Record<string, string>>;
  /** Sent after the bytes, without a chunk of its own. */
  readonly raw?: string;
}

export function* inPieces(body: Buffer): Generator<Buffer> {
  for (let at = 0; at < body.length; at += 64 * 1024) yield body.subarray(at, at + 64 * 1024);
}

function writeHead(response: ServerResponse, { body = FILE, undeclared, headers }: Reply): void {
  if (undeclared === 'close') response.useChunkedEncodingByDefault = false;
  response.writeHead(200, { ...(!undeclared && { 'content-length': body.length }), ...headers });
  response.flushHeaders();
}

/** Ignores Range. The last reply is repeated. */
export function replying(replies: readonly Reply[]): OriginRoute {
  return async ({ seen, signal }, response) => {
    const reply = replies[Math.min(seen, replies.length) - 1] ?? {};
    const { body = FILE, cutAt, stallAt, raw } = reply;
    writeHead(response, reply);
    await send(response, inPieces(body.subarray(0, cutAt ?? stallAt)), signal);
    if (raw !== undefined) response.socket?.write(raw);
    // Flush before the cut, so that the number of received bytes is deterministic.
    if (cutAt !== undefined) response.socket?.end(() => response.socket?.destroy());
    else if (stallAt === undefined) response.end();
  };
}

/** FILE with another byte at this position. */
export function changedAt(position: number): Buffer {
  const body = Buffer.from(FILE);
  body[position] = (body[position] ?? 0) ^ 1;
  return body;
}

/** A source whose responses are these, one after another. */
export function startReplies(replies: readonly Reply[]): Promise<FileOrigin> {
  return startFileOrigin({ routes: { '/file': replying(replies) } });
}

/** What the consumer got of a source with these responses, whether the source failed or not. */
export async function readReplies(replies: readonly Reply[], options: HarnessOptions = {}) {
  await using origin = await startReplies(replies);
  const chunks: Buffer[] = [];
  let counts = { bytesRead: 0, retries: 0 };
  const reading = withReader(
    [origin.url('/file')],
    async (reader) => {
      try {
        for await (const { body } of reader.entries())
          for await (const chunk of body) chunks.push(Buffer.from(chunk));
      } finally {
        counts = { bytesRead: reader.bytesRead, retries: reader.retries };
      }
    },
    options,
  );
  const error = await reading.then(
    () => undefined,
    (thrown: unknown) => thrown as SourceError,
  );
  const ranges = origin.requests.map(({ headers }) => headers['range']);
  return { error, bytes: Buffer.concat(chunks), ranges, ...counts };
}

export type RepliesRead = Awaited<ReturnType<typeof readReplies>>;
