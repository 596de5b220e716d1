/**
 * Sizes of the parts of an upload. They are a fixed function of the largest archive that a job may have, so that the place of every
 * byte is known before the archive is.
 */
const MIB = 1024 ** 2;

/** Maximum parts of an upload, at every supported store. */
export const MOST_PARTS = 10_000;
/**
 * Small parts are sent and confirmed early, and more of them at a time fit into the memory: these are the smallest that S3 takes. With
 * this many, an archive of 150 GiB still needs no part above 16 MiB.
 */
const SMALLER_PARTS = 500;
const SMALLER_PART_BYTES = 5 * MIB;
const LEAST_LARGER_PART_BYTES = 8 * MIB;
/** Parts of every size fill such blocks. */
const MOST_BLOCK_BYTES = MIB;
/** More gain nothing, and each needs a connection and memory besides its part. */
const MOST_CONCURRENT_PARTS = 64;
/** Buffers hold at least this many parts, so that some are sent while others are filled. */
const LEAST_PARTS_IN_MEMORY = 3;

export interface PartSizes {
  /** Bytes of the largest parts. */
  readonly partSizeBytes: number;
  /** Whether the store requires that all parts, except the last, are equal. */
  readonly equalParts: boolean;
}

/** 5 MiB, or the smallest power of two from 8 MiB on, with which an archive of this many bytes fits into 10,000 parts. */
export function partSizeFor(maxArchiveBytes: number): number {
  if (maxArchiveBytes <= MOST_PARTS * SMALLER_PART_BYTES) return SMALLER_PART_BYTES;
  let partSizeBytes = LEAST_LARGER_PART_BYTES;
  while (bytesInParts({ partSizeBytes, equalParts: false }) < maxArchiveBytes) partSizeBytes *= 2;
  return partSizeBytes;
}

function smallerPartBytes(partSizeBytes: number): number {
  return Math.min(SMALLER_PART_BYTES, partSizeBytes);
}

/** Bytes of the part with this number, from 1. */
export function partBytes({ partSizeBytes, equalParts }: PartSizes, number: number): number {
  return equalParts || number > SMALLER_PARTS ? partSizeBytes : smallerPartBytes(partSizeBytes);
}

/** Bytes of an archive of 10,000 parts. */
export function bytesInParts(sizes: PartSizes): number {
  return SMALLER_PARTS * partBytes(sizes, 1) + (MOST_PARTS - SMALLER_PARTS) * sizes.partSizeBytes;
}

/** Memory is allocated in blocks of this many bytes. */
export function blockBytes(partSizeBytes: number): number {
  return Math.min(MOST_BLOCK_BYTES, partSizeBytes);
}

export interface PartMemory {
  readonly partSizeBytes: number;
  readonly storeBufferBytes: number;
}

/** Bytes of parts in memory: those that are filled, and those that are sent. */
export function poolBytes({ partSizeBytes, storeBufferBytes }: PartMemory): number {
  return Math.max(storeBufferBytes, LEAST_PARTS_IN_MEMORY * partSizeBytes);
}

/** Maximum number of parts that are sent at a time: as many as fit into the memory if all are small. */
export function concurrentParts(memory: PartMemory): number {
  const fitting = Math.floor(poolBytes(memory) / smallerPartBytes(memory.partSizeBytes));
  return Math.min(MOST_CONCURRENT_PARTS, fitting);
}
