import { createPartWriter, type PartWriter } from '#zipper-image/store/part-writer.ts';

/** Of no round size, so that any record of the format is split somewhere. */
const PART_BYTES = 50_021;

/** The sink of an archive that passes all its bytes on in order. Call `finish` when the archive is finished. */
export function inOrderSink(write: (bytes: Buffer) => void): PartWriter {
  return createPartWriter({
    partSizeBytes: PART_BYTES,
    partsInFlight: 2,
    checksum: 'crc32',
    onBytes: write,
    send: () => Promise.resolve(),
  });
}

/** For archives of which only errors and sizes matter. */
export function ignoringSink(): PartWriter {
  return inOrderSink(() => undefined);
}
