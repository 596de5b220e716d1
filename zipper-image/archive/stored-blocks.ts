/** The data of an entry that is not compressed: its bytes as they are, or in stored blocks of deflate, all but the last of 65,535 bytes. */
export const BLOCK_BYTES = 65_535;
export const HEADER_BYTES = 5;
export const CODED_BYTES = HEADER_BYTES + BLOCK_BYTES;

/** Size of `length` bytes as stored blocks. */
export function storedBlocksSize(length: number): number {
  return length + HEADER_BYTES * Math.max(1, Math.ceil(length / BLOCK_BYTES));
}

/** How data is framed. `none`: the entry is stored, and both of its headers have its sizes. */
export type Framing = 'blocks' | 'none';

/** Size of `length` bytes that are framed. */
export function framedSize(length: number, framing: Framing): number {
  return framing === 'none' ? length : storedBlocksSize(length);
}

/** The position in the source of the first byte at or behind a position in the coded data. */
export function sourcePosition(coded: number, length: number, framing: Framing): number {
  if (framing === 'none') return Math.min(length, coded);
  const inside = Math.max(0, (coded % CODED_BYTES) - HEADER_BYTES);
  return Math.min(length, Math.floor(coded / CODED_BYTES) * BLOCK_BYTES + inside);
}

export function writeBlockHeader(header: Buffer, length: number, isLast: boolean): Buffer {
  header.writeUInt8(isLast ? 1 : 0, 0);
  header.writeUInt16LE(length, 1);
  header.writeUInt16LE(length ^ 0xffff, 3);
  return header;
}
