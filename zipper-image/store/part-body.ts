import { Readable } from 'node:stream';

const WRITE_BYTES = 256 * 1024;

function* slicesOf(body: readonly Uint8Array[]): Generator<Uint8Array> {
  for (const bytes of body)
    for (let at = 0; at < bytes.length; at += WRITE_BYTES) yield bytes.subarray(at, at + WRITE_BYTES);
}

/** TLS encrypts each write as a whole into other memory, so a part must not be a single write. */
export function bodyOf(body: readonly Uint8Array[]): Readable {
  return Readable.from(slicesOf(body), { objectMode: false });
}
