import { equalParts } from '#test/support/builders/equal-parts.ts';
import { createPartWriter, type FilledPart, type PartWriter } from '#zipper-image/store/part-writer.ts';

/** Of no round size, so that any record of the format is split somewhere. */
const PART_BYTES = 50_021;

/** The sink of an archive that passes all its bytes on in order. Call `finish` when the archive is finished. */
export function inOrderSink(write: (bytes: Buffer) => void): PartWriter {
  return createPartWriter({
    ...equalParts(PART_BYTES, 3),
    checksum: 'crc32',
    onBytes: write,
    send: () => Promise.resolve(),
  });
}

/** Copies of parts that arrive in any order. */
export class KeptParts {
  readonly #parts = new Map<number, Buffer>();

  add({ number, body }: Pick<FilledPart, 'number' | 'body'>): void {
    this.#parts.set(number, Buffer.concat(body));
  }

  /** All of them in order. */
  get bytes(): Buffer {
    return Buffer.concat([...this.#parts].toSorted(([a], [b]) => a - b).map(([, body]) => body));
  }
}

/** For archives of which only errors and sizes matter. */
export function ignoringSink(): PartWriter {
  return inOrderSink(() => undefined);
}
