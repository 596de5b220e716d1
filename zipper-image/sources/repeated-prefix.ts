/**
 * Continues a source in a response that starts at the first byte: what was received before is read again and compared, and
 * only the rest is passed on.
 *
 * Length and CRC-32 decide, so the result is the body of this one response. ETag and Last-Modified do not matter: with new
 * ones the bytes can be the same, and with the same ones they can be others. Of a version that differs only behind the
 * prefix, the result is that version as a whole. Why the earlier response broke off does not matter either: if it was invalid
 * HTTP and left corrupt bytes, their CRC-32 differs. CRC-32 misses one accident in 2^32. It need not find attacks, because
 * the source decides about its bytes in any case.
 *
 * Only for the response to a request without Range: some servers send the rest with status 200, and if the bytes of a file
 * repeat, its rest starts like the whole.
 */
import { crc32 } from '../crc32.ts';
import type { SourceHead } from './response-head.ts';
import { SourceFaultError } from './source-error.ts';

/**
 * Maximum bytes that are read again to continue a source. Reading more of it again takes longer than the start of another
 * attempt, and a CRC-32 of more would cost every large source CPU time (0.3 s/GiB).
 */
const MOST_REPEATED_BYTES = 64 * 1024 * 1024;

/** What was received of a source, from its first byte on: at most MOST_REPEATED_BYTES. */
export interface ReceivedPrefix {
  /** The position of the first missing byte. */
  readonly bytes: number;
  readonly crc32: number;
  /** Bytes of the whole source; undefined if no response declared them. */
  readonly total: number | undefined;
  /** The end of the body was only that of the connection. */
  readonly lengthUnverified: boolean;
}

/** The CRC-32 of the first bytes of a source, until there are too many to read them again. */
export class PrefixCrc {
  #bytes = 0;
  #crc = 0;

  get value(): number | undefined {
    return this.#bytes > MOST_REPEATED_BYTES ? undefined : this.#crc;
  }

  add(chunk: Uint8Array): void {
    if (this.#bytes > MOST_REPEATED_BYTES) return;
    this.#bytes += chunk.byteLength;
    this.#crc = crc32(chunk, this.#crc);
  }
}

function changed(text: string): SourceFaultError {
  return new SourceFaultError({
    code: 'SourceChanged',
    text: `the download was interrupted, and the source has changed since: ${text}`,
    retryable: true,
    refutesReceived: true,
  });
}

/** The body of one response that repeats a prefix. */
export class RepeatedPrefix {
  /** Bytes of the whole body, from either response. */
  readonly total: number | undefined;
  readonly #prefix: ReceivedPrefix;
  readonly #onPassed: () => void;
  readonly #lengthUnverified: boolean;
  readonly #crc = new PrefixCrc();
  #received = 0;

  /**
   * `onPassed`: the prefix is the same, and the rest follows.
   * @throws SourceFaultError if the head contradicts the prefix
   */
  constructor(prefix: ReceivedPrefix, head: SourceHead, onPassed: () => void) {
    const { declaredLength } = head;
    const { total = declaredLength } = prefix;
    if (declaredLength !== undefined && (declaredLength !== total || declaredLength < prefix.bytes))
      throw changed(
        `it had ${prefix.total ?? `at least ${prefix.bytes}`} bytes and now has ${declaredLength}`,
      );
    if (total === undefined && head.lengthUnverified && !prefix.lengthUnverified)
      throw changed('whether its body is complete can no longer be verified');
    this.total = total;
    this.#prefix = prefix;
    this.#onPassed = onPassed;
    this.#lengthUnverified = head.lengthUnverified;
  }

  /**
   * The bytes of the next chunk that are behind the prefix.
   * @throws SourceFaultError if the prefix differs, or the body is too long
   */
  skip(chunk: Uint8Array): Uint8Array {
    const missing = this.#prefix.bytes - this.#received;
    this.#received += chunk.byteLength;
    if (this.total !== undefined && this.#received > this.total)
      throw changed(`it had ${this.total} bytes and now has more`);
    if (missing <= 0) return chunk;
    this.#crc.add(chunk.subarray(0, missing));
    if (chunk.byteLength >= missing) this.#pass();
    return chunk.subarray(missing);
  }

  /** @throws SourceFaultError if the body ended within the prefix */
  assertPassed(): void {
    const { bytes } = this.#prefix;
    if (this.#received >= bytes) return;
    if (!this.#lengthUnverified)
      throw changed(`it had at least ${bytes} bytes and now has ${this.#received}`);
    const text = `it sent ${this.#received} bytes, and ${bytes} before`;
    throw new SourceFaultError({ code: 'SourceTruncated', text, retryable: true });
  }

  #pass(): void {
    const { bytes, crc32: crc } = this.#prefix;
    if (this.#crc.value !== crc) throw changed(`its first ${bytes} bytes are not the same`);
    this.#onPassed();
  }
}
