const MIB = 1024 * 1024;
/** The process, TLS, file lists, and received bytes that were not collected yet. */
const PROCESS_BYTES = 192 * MIB;

interface Buffers {
  readonly partSizeBytes: number;
  readonly partsInFlight: number;
  readonly sourceBufferBytes: number;
}

/** The memory that docs/performance.md requests for a zipper with these settings, in bytes. */
export function memoryRequest({ partSizeBytes, partsInFlight, sourceBufferBytes }: Buffers): number {
  return PROCESS_BYTES + sourceBufferBytes + (partsInFlight + 1) * partSizeBytes;
}
