/**
 * Gives the memory of received bytes back at once. Each read of a socket has a buffer of its own. V8 frees it only with the next
 * collection, and collects the whole heap each time about 64 MiB wait for that: a tenth of the CPU time of a large file, and its
 * memory.
 */
import { Buffer } from 'node:buffer';

let released = new Set<ArrayBuffer>();

function detachAll(): void {
  const buffers = released;
  released = new Set();
  for (const buffer of buffers) buffer.transfer(0);
}

/** Node cuts small buffers, such as those of short reads that it joins, from a pool. Those have less than half of its size. */
function isPooled(chunk: Uint8Array): boolean {
  return chunk.buffer.byteLength === Buffer.poolSize && chunk.byteLength < Buffer.poolSize / 2;
}

/**
 * Nobody reads this chunk any more, nor what was received before it. What is behind it in the same buffer was not parsed yet; then
 * the buffer stays. The parser may still use the chunk, so its memory is freed when that has returned.
 */
export function releaseReceived(chunk: Uint8Array): void {
  const { buffer } = chunk;
  if (!(buffer instanceof ArrayBuffer) || isPooled(chunk)) return;
  if (chunk.byteOffset + chunk.byteLength !== buffer.byteLength) return;
  if (released.size === 0) setImmediate(detachAll);
  released.add(buffer);
}
