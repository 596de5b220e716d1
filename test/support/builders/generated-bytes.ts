/**
 * Pseudorandom bytes that depend only on the seed. The block repeats after a prime number of bytes, so that a
 * shift or a swap by any round size changes the content.
 */
const PERIOD = 1_048_573;
const CACHED_SEEDS = 8;

function fill(seed: number, bytes: number): Buffer {
  const words = new Uint32Array(Math.ceil(bytes / 4));
  let state = (seed * 2_654_435_761 + 0x9e37_79b9) >>> 0 || 1;
  for (let at = 0; at < words.length; at += 1) {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    words[at] = state;
  }
  return Buffer.from(words.buffer, 0, bytes);
}

const blocks = new Map<number, Buffer>();

function wholeBlock(seed: number): Buffer {
  const cached = blocks.get(seed);
  if (cached) return cached;
  const block = fill(seed, PERIOD);
  if (blocks.size >= CACHED_SEEDS) blocks.clear();
  blocks.set(seed, block);
  return block;
}

export interface GeneratedPart {
  /** Size of the whole file. */
  readonly bytes: number;
  readonly seed: number;
  readonly from: number;
  readonly to: number;
  readonly chunkBytes?: number;
}

/** Consecutive pieces of a part of the generated file; read-only views of one shared block. */
export function* generatedPart({
  bytes,
  seed,
  from,
  to,
  chunkBytes = 64 * 1024,
}: GeneratedPart): Generator<Buffer> {
  const block = bytes < PERIOD ? fill(seed, bytes) : wholeBlock(seed);
  for (let at = from; at < to; ) {
    const start = at % PERIOD;
    const piece = block.subarray(start, Math.min(PERIOD, start + chunkBytes, start + to - at));
    at += piece.byteLength;
    yield piece;
  }
}

/** Consecutive pieces of the generated file; read-only views of one shared block. */
export function generatedChunks(bytes: number, seed: number, chunkBytes?: number): Generator<Buffer> {
  return generatedPart({ bytes, seed, from: 0, to: bytes, ...(chunkBytes !== undefined && { chunkBytes }) });
}

/** The whole generated file. */
export function generatedBytes(bytes: number, seed: number): Buffer {
  return Buffer.concat([...generatedChunks(bytes, seed)], bytes);
}
