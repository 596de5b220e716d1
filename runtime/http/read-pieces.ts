import type { IncomingMessage } from 'node:http';
import { Readable } from 'node:stream';

const PIECE_BYTES = 64 * 1024;
/** A client can send every byte as a chunk of its own. Each chunk costs far more memory than its bytes. */
const PIECE_CHUNKS = 64;

/** Waits before more bytes are read. Undefined to read on. */
export type Pace = (bytes: number) => Promise<void> | undefined;

interface Reader {
  readonly onBytes: (bytes: number) => void;
  readonly pace: Pace;
  readonly isDestroyed: () => boolean;
}

async function* pieces(
  request: IncomingMessage,
  { onBytes, pace, isDestroyed }: Reader,
): AsyncGenerator<Buffer, void, undefined> {
  let chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request.iterator({ destroyOnReturn: false })) {
    // A destroyed reader ends this generator only at the next yield.
    if (isDestroyed()) return;
    const arrived = chunk as Buffer;
    onBytes(arrived.length);
    chunks.push(arrived);
    bytes += arrived.length;
    const waiting = pace(arrived.length);
    if (waiting !== undefined) await waiting;
    if (bytes < PIECE_BYTES && chunks.length < PIECE_CHUNKS) continue;
    yield Buffer.concat(chunks);
    chunks = [];
    bytes = 0;
  }
  if (chunks.length > 0) yield Buffer.concat(chunks);
}

/** The whole body of a request. If `onBytes` throws, reading stops with its error, and the rest can still be discarded. */
export async function readWhole(
  request: IncomingMessage,
  onBytes: (bytes: number) => void,
  pace: Pace,
): Promise<Buffer> {
  const whole: Buffer[] = [];
  for await (const piece of pieces(request, { onBytes, pace, isDestroyed: () => false })) whole.push(piece);
  return Buffer.concat(whole);
}

/**
 * The body of a request in large pieces, as a request of its own for body parsers, without `Content-Encoding`. `onBytes` is called before bytes are
 * kept, and no longer once the result is destroyed. If it throws, reading stops with its error, and the rest of the request can
 * still be discarded.
 */
export function readPieces(
  request: IncomingMessage,
  onBytes: (bytes: number) => void,
  pace: Pace = () => undefined,
): Readable & Pick<IncomingMessage, 'headers'> {
  const body: Readable = Readable.from(
    pieces(request, { onBytes, pace, isDestroyed: () => body.destroyed }),
    { objectMode: false },
  );
  // Body parsers would decompress what claims to be compressed.
  const { 'content-encoding': _dropped, ...headers } = request.headers;
  return Object.assign(body, { headers });
}
