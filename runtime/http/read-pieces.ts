import type { IncomingMessage } from 'node:http';
import { Readable } from 'node:stream';

const PIECE_BYTES = 64 * 1024;
/** A client can send every byte as a chunk of its own. Each chunk costs far more memory than its bytes. */
const PIECE_CHUNKS = 64;

async function* pieces(
  request: IncomingMessage,
  onBytes: (bytes: number) => void,
): AsyncGenerator<Buffer, void, undefined> {
  let chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request.iterator({ destroyOnReturn: false })) {
    const arrived = chunk as Buffer;
    onBytes(arrived.length);
    chunks.push(arrived);
    bytes += arrived.length;
    if (bytes < PIECE_BYTES && chunks.length < PIECE_CHUNKS) continue;
    yield Buffer.concat(chunks);
    chunks = [];
    bytes = 0;
  }
  if (chunks.length > 0) yield Buffer.concat(chunks);
}

/**
 * The body of a request in large pieces, as a request of its own for body parsers. `onBytes` is called before bytes are
 * kept. If it throws, reading stops with its error, and the rest of the request can still be discarded.
 */
export const readPieces = (
  request: IncomingMessage,
  onBytes: (bytes: number) => void,
): Readable & Pick<IncomingMessage, 'headers'> =>
  Object.assign(Readable.from(pieces(request, onBytes), { objectMode: false }), { headers: request.headers });
