export interface HeadAndBody {
  /** The first bytes: as many as were asked for, or more, or all that there are. */
  readonly head: Uint8Array;
  /** The whole body, the head included. */
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

/** Reads until `bytes` first bytes are there. A chunk is valid only until the next is asked for: shorter ones are copied. */
export const readHead = async (body: AsyncIterable<Uint8Array>, bytes: number): Promise<HeadAndBody> => {
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
};
