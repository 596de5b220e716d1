/**
 * Takes bytes in order. A chunk belongs to the caller again as soon as the call (or the promise that it returned) is over.
 * Undefined means that there was room at once: the caller of a hot loop need not await then.
 */
export interface ByteSink {
  write(chunk: Uint8Array): Promise<void> | undefined;
}
