/**
 * Receives bytes in order. The caller can reuse a chunk once the call, or the promise that it returned, has completed.
 * Undefined means that there was room, so that the caller need not await in a hot loop.
 */
export interface ByteSink {
  /** `crc`: the CRC-32 of the chunk, if the caller has computed it. */
  write(chunk: Uint8Array, crc?: number): Promise<void> | undefined;
}
