/**
 * Receives bytes in order. The caller can reuse a chunk once the call, or the promise that it returned, has completed.
 * Undefined means that there was room, so that the caller need not await in a hot loop.
 */
export interface ByteSink {
  write(chunk: Uint8Array): Promise<void> | undefined;
}
