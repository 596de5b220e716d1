import { SMALL_ENTRY_BYTES } from './types.ts';

const KIB = 1024;
const MIB = 1024 * KIB;
/** The front needs more than SMALL_ENTRY_BYTES to determine that its entry is not small. */
const LEAST_FRONT_BYTES = 2 * SMALL_ENTRY_BYTES;
const MOST_FRONT_BYTES = 16 * MIB;

/** A holder of memory; `charge` is its share of the budget. */
export interface MemoryHolder {
  charge: number;
  /** Behind the front. All these holders together stay below their own limit. */
  ahead: boolean;
}

/**
 * The memory budget of all downloads. Early downloads leave a reserve for the front, so that the front can always
 * continue, whatever waits behind it.
 */
export class MemoryBudget {
  readonly #totalBytes: number;
  readonly #aheadBytes: number;
  /** The front pauses when it has buffered this many bytes, and resumes at half of that. */
  readonly frontBytes: number;
  /** The same for a file that is read, whose bytes wait for a place in a part. More would only be copied once more. */
  readonly readBytes = 512 * KIB;
  /** Reserved for an early download before its length is known, and the increment for a body of undeclared length. */
  readonly stepBytes: number;
  /** Maximum memory of one early download. A larger one waits until it is the front. */
  readonly #shareBytes: number;
  #total = 0;
  #ahead = 0;

  constructor(totalBytes: number, concurrency: number) {
    this.#totalBytes = totalBytes;
    this.frontBytes = Math.min(MOST_FRONT_BYTES, Math.max(LEAST_FRONT_BYTES, Math.floor(totalBytes / 4)));
    this.#aheadBytes = Math.max(0, totalBytes - this.frontBytes);
    this.stepBytes = Math.min(
      SMALL_ENTRY_BYTES,
      Math.max(64 * KIB, Math.floor(this.#aheadBytes / concurrency)),
    );
    this.#shareBytes = Math.floor(this.#aheadBytes / 3);
  }

  /** Whether the front must wait. Bytes of early downloads beyond their limit (a chunk each) do not count against it. */
  get isFull(): boolean {
    const forced = Math.min(this.#ahead, this.#aheadBytes);
    return this.#total - this.#ahead + forced >= this.#totalBytes;
  }

  /** Whether an early download may take `bytes` more. */
  hasRoom(bytes: number): boolean {
    return this.#ahead + bytes <= this.#aheadBytes && this.#total + bytes <= this.#totalBytes;
  }

  charge(holder: MemoryHolder, bytes: number): void {
    const change = bytes - holder.charge;
    holder.charge = bytes;
    this.#total += change;
    if (holder.ahead) this.#ahead += change;
  }

  /** Raises the charge of an early download to `bytes`. False if there is no room. */
  reserve(holder: MemoryHolder, bytes: number): boolean {
    if (bytes > holder.charge && (bytes > this.#shareBytes || !this.hasRoom(bytes - holder.charge)))
      return false;
    this.charge(holder, bytes);
    return true;
  }

  /** Called when the front reaches the holder. */
  leaveAhead(holder: MemoryHolder): void {
    this.#ahead -= holder.charge;
    holder.ahead = false;
  }
}
