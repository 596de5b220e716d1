import { SMALL_ENTRY_BYTES } from './types.ts';

const KIB = 1024;
const MIB = 1024 * KIB;
/** The front needs more than SMALL_ENTRY_BYTES before it is known to be no small entry. */
const LEAST_FRONT_BYTES = 2 * SMALL_ENTRY_BYTES;
const MOST_FRONT_BYTES = 16 * MIB;

/** A holder of memory; `charge` is its share of the budget. */
export interface MemoryHolder {
  charge: number;
  /** Behind the front: all such holders together stay below their own bound. */
  ahead: boolean;
}

/**
 * One budget of bytes for all downloads. What the early ones may hold together leaves a reserve for the front, so that the
 * front can always continue, whatever waits behind it.
 */
export class MemoryBudget {
  readonly #totalBytes: number;
  readonly #aheadBytes: number;
  /** The front is paused when this much of it waits, and goes on at half of it. */
  readonly frontBytes: number;
  /** Set aside for an early download before its length is known, and the step by which an undeclared one grows. */
  readonly stepBytes: number;
  /** The most that one early download may hold; a larger one waits for its turn. */
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

  /** Whether the front must wait. What early downloads hold beyond their bound (a chunk each) does not count against it. */
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

  /** Raises the charge of an early download to `bytes`; false when there is no room for it. */
  reserve(holder: MemoryHolder, bytes: number): boolean {
    if (bytes > holder.charge && (bytes > this.#shareBytes || !this.hasRoom(bytes - holder.charge)))
      return false;
    this.charge(holder, bytes);
    return true;
  }

  /** The front has reached the holder. */
  leaveAhead(holder: MemoryHolder): void {
    this.#ahead -= holder.charge;
    holder.ahead = false;
  }
}
