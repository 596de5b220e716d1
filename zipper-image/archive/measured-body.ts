/** Counts and sums of a body while it is read. */
import type { Hash } from 'node:crypto';
import { AppError } from '#runtime/errors.ts';
import { crc32 } from '../crc32.ts';

interface Expected {
  readonly name: string;
  /** Undefined if the source does not declare it. */
  readonly declaredLength: number | undefined;
}

export interface Measured {
  readonly body: AsyncIterable<Uint8Array>;
  crc: number;
  size: number;
}

interface MeasureOptions {
  readonly hash: Hash | undefined;
  /** Maximum bytes if no length was declared. */
  readonly limit: number;
}

/** The entry would exceed 4 GiB without the fields for that. */
export function tooLarge(name: string): AppError {
  return new AppError(
    `Could not write "${name}": its source declares no length and exceeds 4 GiB, the limit of such an entry. Make the source send Content-Length, or set SOURCE_UNKNOWN_LENGTH_ZIP64`,
    { code: 'SourceTooLarge', retryable: false },
  );
}

function wrongLength(name: string, declared: number, size: number): AppError {
  return new AppError(
    `Could not write "${name}": the source declared ${declared} bytes but sent ${size}; the file may have changed during the download`,
    { code: 'SourceTruncated', retryable: true },
  );
}

/** Rejects a body of another length than it declares. */
export async function* ofDeclaredLength(
  { name, declaredLength: declared }: Expected,
  body: AsyncIterable<Uint8Array>,
): AsyncGenerator<Uint8Array> {
  let size = 0;
  for await (const chunk of body) {
    size += chunk.length;
    if (declared !== undefined && size > declared) throw wrongLength(name, declared, size);
    yield chunk;
  }
  if (declared !== undefined && size !== declared) throw wrongLength(name, declared, size);
}

/** Counts bytes and computes checksums of a body, and rejects what the entry cannot contain. */
export function measure(entry: Expected, body: AsyncIterable<Uint8Array>, options: MeasureOptions): Measured {
  const { hash, limit } = options;
  async function* round(): AsyncGenerator<Uint8Array> {
    for await (const chunk of ofDeclaredLength(entry, body)) {
      measured.size += chunk.length;
      if (entry.declaredLength === undefined && measured.size > limit) throw tooLarge(entry.name);
      measured.crc = crc32(chunk, measured.crc);
      hash?.update(chunk);
      yield chunk;
    }
  }
  const measured: Measured = { body: round(), crc: 0, size: 0 };
  return measured;
}
