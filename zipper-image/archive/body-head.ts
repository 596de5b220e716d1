export interface HeadAndBody {
  /** The first bytes: at least as many as requested, or the whole body if it is shorter. */
  readonly head: Uint8Array;
  /** The whole body, including the head. */
  readonly body: AsyncIterable<Uint8Array>;
}

async function* replay(first: Uint8Array, rest: AsyncIterator<Uint8Array>): AsyncGenerator<Uint8Array> {
  try {
    if (first.length > 0) yield first;
    for (let next = await rest.next(); next.done !== true; next = await rest.next()) yield next.value;
  } finally {
    await rest.return?.();
  }
}

/** Reads the first `bytes` bytes. Short chunks are copied, because a chunk is valid only until the next one is requested. */
export async function readHead(body: AsyncIterable<Uint8Array>, bytes: number): Promise<HeadAndBody> {
  const chunks = body[Symbol.asyncIterator]();
  let head: Uint8Array = new Uint8Array(0);
  try {
    while (head.length < bytes) {
      const next = await chunks.next();
      if (next.done === true) break;
      head = head.length === 0 && next.value.length >= bytes ? next.value : Buffer.concat([head, next.value]);
    }
  } catch (error) {
    await chunks.return?.();
    throw error;
  }
  return { head, body: replay(head, chunks) };
}
