/** Archives of more than 4 GiB that take little space on disk: ranges of zeros are holes of the file. */
import { closeSync, fstatSync, ftruncateSync, openSync, readSync, writeSync } from 'node:fs';
import { type Archive, type ArchiveOptions, createArchive } from '#zipper-image/archive/archive.ts';
import { inOrderSink } from './in-order-sink.ts';
import type { ZipBytes } from './read-zip.ts';

/** Headers of blocks are between the zeros. */
const HOLE_BYTES = 4096;
const MIB = Buffer.alloc(1024 * 1024);

/** This number of zero bytes. */
export async function* zeros(bytes: number): AsyncGenerator<Uint8Array> {
  for (let left = bytes; left > 0; left -= MIB.length) yield left >= MIB.length ? MIB : MIB.subarray(0, left);
}

function isZero(chunk: Uint8Array): boolean {
  return chunk.length <= MIB.length && MIB.subarray(0, chunk.length).equals(chunk);
}

/** Writes an archive into a sparse file. */
export async function writeSparseArchive(
  path: string,
  fill: (archive: Archive) => Promise<unknown>,
  options: Partial<ArchiveOptions> = {},
): Promise<void> {
  const file = openSync(path, 'w');
  let at = 0;
  function write(bytes: Buffer): void {
    for (let from = 0; from < bytes.length; from += HOLE_BYTES) {
      const chunk = bytes.subarray(from, from + HOLE_BYTES);
      if (!isZero(chunk)) writeSync(file, chunk, 0, chunk.length, at);
      at += chunk.length;
    }
  }
  try {
    const sink = inOrderSink(write);
    const archive = createArchive({ compression: 'store', sink, ...options });
    await fill(archive);
    await archive.finish();
    await sink.finish();
    ftruncateSync(file, at);
  } finally {
    closeSync(file);
  }
}

/** Adapts a function that returns this number of bytes at an offset for the parser. */
export function zipBytesOf(length: number, read: (at: number, length: number) => Buffer): ZipBytes {
  return {
    length,
    readUInt16LE: (at = 0) => read(at, 2).readUInt16LE(),
    readUInt32LE: (at = 0) => read(at, 4).readUInt32LE(),
    readUIntLE: (at, bytes) => read(at, bytes).readUIntLE(0, bytes),
    readBigUInt64LE: (at = 0) => read(at, 8).readBigUInt64LE(),
    subarray: (start = 0, end = 0) => read(start, end - start),
  };
}

/** Adapts a file for the parser. */
export function openZipBytes(path: string): ZipBytes & Disposable {
  const file = openSync(path, 'r');
  function read(at: number, length: number): Buffer {
    const bytes = Buffer.alloc(length);
    return bytes.subarray(0, readSync(file, bytes, 0, length, at));
  }
  return { ...zipBytesOf(fstatSync(file).size, read), [Symbol.dispose]: () => closeSync(file) };
}
